// The emulator beside the discovery document of the JSON API: storage_v1.json is a reduced copy of it, and
// treatment.json says what becomes of each parameter and field. Nothing may be accepted and have no effect.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "emulator/support/json_client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

json ReadData(const std::string& name) {
  std::ifstream file(std::string(GCSFLUX_DISCOVERY_DATA) + "/" + name);
  return json::parse(file);
}

// A request of a method that succeeds.
struct ValidRequest {
  std::string method;
  std::string target;
  json body = {};
};

const json& Bodies() {
  static const json kBodies = {
      {"storage.buckets.insert", {{"name", "new"}}},
      {"storage.buckets.setIamPolicy", {{"bindings", json::array()}}},
      {"storage.bucketAccessControls.insert", {{"entity", "allUsers"}, {"role", "READER"}}},
      {"storage.defaultObjectAccessControls.insert", {{"entity", "allUsers"}, {"role", "READER"}}},
      {"storage.objectAccessControls.insert", {{"entity", "allUsers"}, {"role", "READER"}}},
      {"storage.bucketAccessControls.patch", {{"role", "READER"}}},
      {"storage.bucketAccessControls.update", {{"role", "READER"}}},
      {"storage.defaultObjectAccessControls.patch", {{"role", "READER"}}},
      {"storage.defaultObjectAccessControls.update", {{"role", "READER"}}},
      {"storage.objectAccessControls.patch", {{"role", "READER"}}},
      {"storage.objectAccessControls.update", {{"role", "READER"}}},
      {"storage.notifications.insert", {{"topic", "projects/p/topics/t"}, {"payload_format", "NONE"}}},
      {"storage.folders.insert", {{"name", "new/"}}},
      {"storage.objects.compose", {{"sourceObjects", {{{"name", "source"}}}}}},
      {"storage.projects.hmacKeys.update", {{"state", "INACTIVE"}}},
  };
  return kBodies;
}

const json& NeededParameters() {
  static const json kParameters = {
      {"storage.buckets.lockRetentionPolicy", "ifMetagenerationMatch=5"},
      {"storage.buckets.testIamPermissions", "permissions=storage.objects.get"},
      {"storage.objects.testIamPermissions", "permissions=storage.objects.get"},
      {"storage.projects.hmacKeys.create", "serviceAccountEmail=a@b.c"},
      {"storage.objects.insert", "uploadType=media&name=new"},
  };
  return kParameters;
}

class DiscoveryTest : public EmulatorTest {
 protected:
  // What the methods are about.
  void MakeResources() {
    emulator().Reset();
    const json reader = {{"entity", "allUsers"}, {"role", "READER"}};
    client_.Answer("POST", "/storage/v1/b?enableObjectRetention=true", {{"name", "bucket"}});
    for (const char* name : {"object", "source"}) ASSERT_EQ(client_.Insert("bucket", name), 200);
    client_.Answer("POST", "/storage/v1/b/bucket/notificationConfigs", Bodies().at("storage.notifications.insert"));
    client_.Answer("POST", "/storage/v1/b/bucket/o/object/acl", reader);
    client_.Answer("POST", "/storage/v1/b/bucket/acl", reader);
    client_.Answer("POST", "/storage/v1/b/bucket/defaultObjectAcl", reader);
    client_.Answer("POST", "/storage/v1/b", {{"name", "empty"}});
    MakeDeletedResources();
    MakeFolders();
    const json key = client_.Answer("POST", "/storage/v1/projects/p/hmacKeys?serviceAccountEmail=a@b.c");
    key_ = key.at("metadata").at("accessId").get<std::string>();
    client_.Answer("PUT", "/storage/v1/projects/p/hmacKeys/" + key_, {{"state", "INACTIVE"}});
  }

  // What can be restored, and an operation.
  void MakeDeletedResources() {
    const json policy = {{"softDeletePolicy", {{"retentionDurationSeconds", "604800"}}}};
    client_.Answer("PATCH", "/storage/v1/b/bucket", policy);
    ASSERT_EQ(client_.Insert("bucket", "deleted"), 200);
    object_generation_ = client_.Answer("GET", "/storage/v1/b/bucket/o/deleted").at("generation");
    client_.Answer("DELETE", "/storage/v1/b/bucket/o/deleted");
    json bucket = policy;
    bucket["name"] = "deleted";
    client_.Answer("POST", "/storage/v1/b", bucket);
    bucket_generation_ = client_.Answer("GET", "/storage/v1/b/deleted").at("generation");
    client_.Answer("DELETE", "/storage/v1/b/deleted");
    client_.Answer("POST", "/storage/v1/b/bucket/o/bulkRestore", {{"matchGlobs", {"nothing"}}});
  }

  // A bucket "tree" with the folder "x/".
  void MakeFolders() {
    const json uniform = {{"uniformBucketLevelAccess", {{"enabled", true}}}};
    client_.Answer("POST", "/storage/v1/b",
                   {{"name", "tree"}, {"hierarchicalNamespace", {{"enabled", true}}}, {"iamConfiguration", uniform}});
    client_.Answer("POST", "/storage/v1/b/tree/folders", {{"name", "x/"}});
  }

  ValidRequest RequestOf(const json& method) {
    const std::string id = method.at("id");
    std::string request = method.at("request");
    const bool is_restore = id.ends_with(".restore");
    std::string bucket = id == "storage.buckets.delete" ? "empty" : "bucket";
    if (id.starts_with("storage.folders.")) bucket = "tree";
    const json places = {{"{bucket}", id == "storage.buckets.restore" ? "deleted" : bucket},
                         {"{object}", is_restore ? "deleted" : "object"},
                         {"{operationId}", id.ends_with("advanceRelocateBucket") ? "x" : "1"},
                         {"{destinationFolder}", "y"},
                         {"{entity}", "allUsers"},
                         {"{notification}", "1"},
                         {"{projectId}", "p"},
                         {"{accessId}", key_},
                         {"{sourceBucket}", "bucket"},
                         {"{sourceObject}", "source"},
                         {"{destinationBucket}", "bucket"},
                         {"{destinationObject}", "new"}};
    for (const auto& [place, value] : places.items()) {
      const std::size_t at = request.find(place);
      if (at != std::string::npos) request.replace(at, place.size(), value.get<std::string>());
    }
    for (std::size_t at = 0; (at = request.find('{')) != std::string::npos;) {
      request.replace(at, request.find('}') - at + 1, "x");
    }
    if (id == "storage.objects.insert") request.replace(request.find(" /"), 2, " /upload/");
    const std::size_t blank = request.find(' ');
    ValidRequest valid{.method = request.substr(0, blank), .target = request.substr(blank + 1) + "?"};
    const std::string generation = id == "storage.buckets.restore" ? bucket_generation_ : object_generation_;
    valid.target += is_restore ? "generation=" + generation : NeededParameters().value(id, "fields=kind");
    if (method.at("body") != "") valid.body = Bodies().value(id, json::object());
    return valid;
  }
  // A method that needs a policy of retention is sent to a bucket that has one.
  void Prepare(const json& method) {
    MakeResources();
    if (method.at("id") == "storage.buckets.lockRetentionPolicy") {
      client_.Answer("PATCH", "/storage/v1/b/bucket", {{"retentionPolicy", {{"retentionPeriod", "1"}}}});
    }
  }
  bool IsServed(const json& method) {
    Prepare(method);
    const ValidRequest request = RequestOf(method);
    return client_.Status(request.method, request.target, request.body) / 100 == 2;
  }

  const json discovery_ = ReadData("storage_v1.json");
  const json treatment_ = ReadData("treatment.json");
  JsonClient client_{endpoint()};
  std::string key_;
  std::string object_generation_;
  std::string bucket_generation_;
};

TEST_F(DiscoveryTest, EveryMethodIsServedOrFindsNothingOrIsNotImplemented) {
  int served = 0;
  for (const json& method : discovery_.at("methods")) {
    Prepare(method);
    const ValidRequest request = RequestOf(method);
    const RawResponse response = client_.Call(request.method, request.target, request.body);
    const bool is_served = response.status / 100 == 2;
    served += is_served ? 1 : 0;
    if (is_served) continue;
    // No bucket has caches, operations or managed folders, so none of them is found.
    const bool is_missing = response.status == 404 && request.target.find("/x") != std::string::npos;
    EXPECT_TRUE(response.status == 501 || is_missing) << method.at("id") << ": " << response.body;
  }
  EXPECT_GT(served, 50);
  RecordProperty("served", served);
}

TEST_F(DiscoveryTest, EveryParameterHasATreatment) {
  const json& parameters = treatment_.at("parameters");
  const auto has = [](const json& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const json& method : discovery_.at("methods")) {
    if (!IsServed(method)) continue;
    for (const auto& [name, kind] : method.at("parameters").items()) {
      const bool is_refused = has(parameters.at("refused"), method.at("id").get<std::string>() + " " + name);
      const bool is_known = is_refused || has(parameters.at("served"), name) || parameters.at("ignored").contains(name);
      EXPECT_TRUE(is_known) << method.at("id") << " " << name;
    }
  }
}

// A value that the parameter cannot have.
std::string Impossible(const std::string& kind, const std::string& name) {
  if (name == "predefinedAcl" || name == "predefinedDefaultObjectAcl" || name == "destinationPredefinedAcl")
    return "open";
  if (kind == "string") return name == "pageToken" || name == "rewriteToken" ? "%21" : "";
  return kind == "boolean" ? "perhaps" : "many";
}

TEST_F(DiscoveryTest, ServedParametersAreRead) {
  for (const json& method : discovery_.at("methods")) {
    if (!IsServed(method)) continue;
    for (const auto& [name, kind] : method.at("parameters").items()) {
      const std::string value = Impossible(kind, name);
      if (treatment_.at("parameters").at("ignored").contains(name) || value.empty()) continue;
      Prepare(method);
      ValidRequest request = RequestOf(method);
      if (const std::size_t at = request.target.find(name + "="); at != std::string::npos) request.target.erase(at);
      request.target += "&" + name + "=" + value;
      const int status = client_.Status(request.method, request.target, request.body);
      EXPECT_TRUE(status == 400 || status == 501) << method.at("id") << " " << name << ": " << status;
    }
  }
}

TEST_F(DiscoveryTest, RefusedParametersAreNotImplemented) {
  for (const json& refused : treatment_.at("parameters").at("refused")) {
    const std::string text = refused;
    const std::string id = text.substr(0, text.find(' '));
    const auto method = std::find_if(discovery_.at("methods").begin(), discovery_.at("methods").end(),
                                     [&](const json& candidate) { return candidate.at("id") == id; });
    ASSERT_NE(method, discovery_.at("methods").end()) << id;
    Prepare(*method);
    const ValidRequest request = RequestOf(*method);
    const std::string name = text.substr(text.find(' ') + 1);
    const std::string value = method->at("parameters").at(name) == "boolean" ? "true" : "1";
    EXPECT_EQ(client_.Refusal(request.method, request.target + "&" + name + "=" + value, request.body),
              "501 notImplemented")
        << text;
  }
}

// The paths of a value's leaves, as the discovery document writes them: lists do not count.
void AddLeaves(const json& value, const std::string& path, std::set<std::string>& leaves) {
  if (value.is_array() && !value.empty()) return AddLeaves(value.front(), path, leaves);
  if (!value.is_object()) {
    leaves.insert(path);
    return;
  }
  for (const auto& [name, member] : value.items()) {
    AddLeaves(member, path.empty() ? name : path + "." + name, leaves);
  }
}

TEST_F(DiscoveryTest, EveryFieldHasATreatment) {
  for (const char* resource : {"Bucket", "Object"}) {
    const json& fields = treatment_.at("fields").at(resource);
    std::set<std::string> known(fields.at("of the service").begin(), fields.at("of the service").end());
    AddLeaves(fields.at("shown"), "", known);
    for (const json& refused : fields.at("refused")) AddLeaves(refused, "", known);
    for (const std::string field : discovery_.at("resources").at(resource)) {
      // Of a map and of a list of entries, the leaves are the user's, or of another resource.
      const auto at = known.lower_bound(field);
      const bool is_known = at != known.end() && (*at == field || at->starts_with(field + "."));
      EXPECT_TRUE(is_known) << resource << " " << field;
    }
  }
}

// Whether `shown` has all of `wanted`.
bool Contains(const json& shown, const json& wanted) {
  if (wanted.is_array()) {
    return shown.is_array() && std::all_of(wanted.begin(), wanted.end(), [&](const json& element) {
             return std::any_of(shown.begin(), shown.end(),
                                [&](const json& candidate) { return Contains(candidate, element); });
           });
  }
  if (!wanted.is_object()) return shown == wanted;
  for (const auto& [name, member] : wanted.items()) {
    if (!shown.is_object() || !shown.contains(name) || !Contains(shown.at(name), member)) return false;
  }
  return true;
}

TEST_F(DiscoveryTest, FieldsAreShownAsTheyWereSetOrRefused) {
  for (const auto& [resource, path] :
       {std::pair("Bucket", "/storage/v1/b/bucket"), std::pair("Object", "/storage/v1/b/bucket/o/object")}) {
    const json& fields = treatment_.at("fields").at(resource);
    for (const auto& [name, value] : fields.at("shown").items()) {
      MakeResources();
      EXPECT_EQ(client_.Status("PATCH", path, {{name, value}}), 200) << resource << " " << name;
      const json shown = client_.Answer("GET", std::string(path) + "?projection=full");
      const json wanted = {{name, value}};
      EXPECT_TRUE(Contains(shown, wanted)) << resource << " " << name << ": " << shown.value(name, json());
    }
    for (const json& refused : fields.at("refused")) {
      MakeResources();
      EXPECT_EQ(client_.Refusal("PATCH", path, refused), "501 notImplemented") << refused;
    }
  }
}

TEST_F(DiscoveryTest, FieldsOfTheServiceAreNotTheClients) {
  for (const auto& [resource, path] :
       {std::pair("Bucket", "/storage/v1/b/bucket"), std::pair("Object", "/storage/v1/b/bucket/o/object")}) {
    for (const std::string field : treatment_.at("fields").at(resource).at("of the service")) {
      if (field.find('.') != std::string::npos) continue;
      MakeResources();
      const json before = client_.Answer("GET", path);
      if (client_.Status("PATCH", path, {{field, "x"}}) != 200) continue;
      const json after = client_.Answer("GET", path);
      if (field == "etag" || field == "metageneration" || field == "updated") continue;
      EXPECT_EQ(after.value(field, json()), before.value(field, json())) << resource << " " << field;
    }
  }
}

}  // namespace
}  // namespace gcsflux::emulator
