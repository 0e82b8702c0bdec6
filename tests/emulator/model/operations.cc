// Carries out each operation on the emulator and on the reference.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "emulator/model/model_client.h"
#include "http/target.h"
#include "support/concatenated.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;

std::string Parameters(const Conditions& conditions) {
  std::string text;
  const auto add = [&text](const char* name, const std::optional<std::int64_t>& value) {
    if (value) text += std::string("&") + name + "=" + std::to_string(*value);
  };
  add("ifGenerationMatch", conditions.generation_match);
  add("ifGenerationNotMatch", conditions.generation_not_match);
  add("ifMetagenerationMatch", conditions.metageneration_match);
  return text;
}

std::string GenerationParameter(const std::optional<std::int64_t>& generation) {
  return generation ? "&generation=" + std::to_string(*generation) : "";
}

json ResourceOf(const std::string& name, const Version& content) {
  return {{"name", name}, {"contentType", content.content_type}, {"metadata", content.metadata}};
}

}  // namespace

void ModelClient::Insert() {
  const std::string name = AnyName();
  Version content = AnyContent();
  const Conditions conditions = AnyConditions(reference_.Live(name));
  const bool is_allowed = conditions.Hold(reference_.Live(name));
  operation_ = "insert " + name;
  RawResponse response;
  switch (Below(4)) {
    case 0:
      content.metadata.clear();
      response = InsertMedia(name, content, conditions);
      break;
    case 1: response = InsertMultipart(name, content, conditions); break;
    case 2: response = InsertInChunks(name, content, conditions); break;
    default: response = InsertByXml(name, content, conditions); break;
  }
  Expect(response, is_allowed ? 200 : conditions.refusal());
  if (!is_allowed) return;
  if (response.body.starts_with("{")) return Stored(response, name, content);
  Stored(Call("GET", ObjectPath(name)), name, content);
}

RawResponse ModelClient::InsertMedia(const std::string& name, const Version& content, const Conditions& conditions) {
  return Call("POST", UploadPath("media", name) + Parameters(conditions),
              "Content-Type: " + content.content_type + "\r\n", content.bytes);
}

RawResponse ModelClient::InsertMultipart(const std::string& name, const Version& content,
                                         const Conditions& conditions) {
  const std::string boundary = "boundary-" + std::to_string(random_());
  const std::string body = "--" + boundary + "\r\nContent-Type: application/json\r\n\r\n" +
                           ResourceOf(name, content).dump() + "\r\n--" + boundary +
                           "\r\nContent-Type: " + content.content_type + "\r\n\r\n" + content.bytes + "\r\n--" +
                           boundary + "--\r\n";
  return Call("POST", UploadPath("multipart", name) + Parameters(conditions),
              "Content-Type: multipart/related; boundary=" + boundary + "\r\n", body);
}

RawResponse ModelClient::InsertInChunks(const std::string& name, const Version& content, const Conditions& conditions) {
  constexpr std::size_t kChunk = std::size_t{256} << 10;
  RawResponse started =
      Call("POST", UploadPath("resumable", name) + Parameters(conditions), "", ResourceOf(name, content).dump());
  if (started.status != 200) return started;
  const std::string session = started.Header("location");
  const std::size_t size = content.bytes.size();
  RawResponse response;
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(size, begin + kChunk);
    const std::string range = begin == end ? "*" : std::to_string(begin) + "-" + std::to_string(end - 1);
    response =
        Call("PUT", session, testing::Concatenated({"Content-Range: bytes ", range, "/", std::to_string(size), "\r\n"}),
             content.bytes.substr(begin, end - begin));
    if (end != size) Expect(response, 308);
    begin = end;
  } while (begin != size);
  return response;
}

RawResponse ModelClient::InsertByXml(const std::string& name, const Version& content, const Conditions& conditions) {
  std::string headers = "Content-Type: " + content.content_type + "\r\n";
  for (const auto& [key, value] : content.metadata) headers += "x-goog-meta-" + key + ": " + value + "\r\n";
  const auto add = [&headers](const std::string& field, const std::optional<std::int64_t>& value) {
    if (value) headers += field + ": " + std::to_string(*value) + "\r\n";
  };
  // The XML API has no condition on another generation.
  if (conditions.generation_not_match) return InsertMultipart(name, content, conditions);
  add("x-goog-if-generation-match", conditions.generation_match);
  add("x-goog-if-metageneration-match", conditions.metageneration_match);
  return Call("PUT", XmlPath(name), headers, content.bytes);
}

void ModelClient::Read() {
  const std::string name = AnyName();
  const std::optional<std::int64_t> generation = AnyGeneration(name);
  const Version* version = generation ? reference_.Find(name, *generation) : reference_.Live(name);
  operation_ = "read " + name;
  const std::string target = ObjectPath(name) + "?alt=media" + GenerationParameter(generation);
  if (version == nullptr) return Expect(Call("GET", target), 404);
  if (version->bytes.empty() || Below(2) == 0) {
    const RawResponse response = Call("GET", target);
    Expect(response, 200);
    Expect(response.body == version->bytes, "its bytes");
    return Expect(response.Header("x-goog-generation") == std::to_string(version->generation), "its generation");
  }
  const std::uint64_t first = Below(version->bytes.size());
  const std::uint64_t last = first + Below(version->bytes.size());
  const RawResponse response =
      Call("GET", target, "Range: bytes=" + std::to_string(first) + "-" + std::to_string(last) + "\r\n");
  Expect(response, 206);
  Expect(response.body == version->bytes.substr(first, last - first + 1), "its bytes of the range");
}

void ModelClient::ReadByXml() {
  const std::string name = AnyName();
  const Version* version = reference_.Live(name);
  operation_ = "read by XML " + name;
  const RawResponse response = Call("GET", XmlPath(name));
  if (version == nullptr) return Expect(response, 404);
  Expect(response, 200);
  Expect(response.body == version->bytes, "its bytes");
  Expect(response.Header("content-type") == version->content_type, "its type");
  for (const auto& [key, value] : version->metadata) {
    Expect(response.Header("x-goog-meta-" + key) == value, "its metadata " + key);
  }
}

void ModelClient::Describe() {
  const std::string name = AnyName();
  const std::optional<std::int64_t> generation = AnyGeneration(name);
  const Version* version = generation ? reference_.Find(name, *generation) : reference_.Live(name);
  operation_ = "describe " + name;
  const RawResponse response = Call("GET", ObjectPath(name) + "?alt=json" + GenerationParameter(generation));
  if (version == nullptr) return Expect(response, 404);
  Expect(response, 200);
  ExpectResource(json::parse(response.body), name, *version);
}

void ModelClient::Patch() {
  const std::string name = AnyName();
  Version* live = reference_.Live(name);
  const Conditions conditions = live != nullptr ? AnyConditions(live) : Conditions{};
  const std::string key = "key" + std::to_string(Below(4));
  const bool erases = Below(2) == 0;
  operation_ = "patch " + name;
  const json patch = {{"contentType", "patched/type"}, {"metadata", {{key, erases ? json() : json("patched")}}}};
  const RawResponse response = Call("PATCH", ObjectPath(name) + "?alt=json" + Parameters(conditions), "", patch.dump());
  if (live == nullptr) return Expect(response, 404);
  if (!conditions.Hold(live)) return Expect(response, conditions.refusal());
  Expect(response, 200);
  live->content_type = "patched/type";
  live->metadata.erase(key);
  if (!erases) live->metadata[key] = "patched";
  live->metageneration += 1;
  ExpectResource(json::parse(response.body), name, *live);
}

void ModelClient::Delete() {
  const std::string name = AnyName();
  const std::optional<std::int64_t> generation = AnyGeneration(name);
  const Version* version = generation ? reference_.Find(name, *generation) : reference_.Live(name);
  Conditions conditions = version != nullptr && !generation ? AnyConditions(version) : Conditions{};
  operation_ = "delete " + name;
  const RawResponse response =
      Call("DELETE", ObjectPath(name) + "?alt=json" + GenerationParameter(generation) + Parameters(conditions));
  if (version == nullptr) return Expect(response, 404);
  if (!conditions.Hold(version)) return Expect(response, conditions.refusal());
  Expect(response, 204);
  generation ? reference_.Delete(name, *generation) : reference_.Delete(name);
}

void ModelClient::DeleteByXml() {
  const std::string name = AnyName();
  operation_ = "delete by XML " + name;
  const RawResponse response = Call("DELETE", XmlPath(name));
  if (reference_.Live(name) == nullptr) return Expect(response, 404);
  Expect(response, 204);
  reference_.Delete(name);
}

void ModelClient::Copy() {
  const std::string source = AnyName();
  const std::string name = AnyName();
  const std::optional<std::int64_t> generation = AnyGeneration(source);
  const Version* from = generation ? reference_.Find(source, *generation) : reference_.Live(source);
  const Conditions conditions = AnyConditions(reference_.Live(name));
  const bool is_rewrite = Below(2) == 0;
  operation_ = "copy " + source + " to " + name;
  const std::string selected = generation ? "&sourceGeneration=" + std::to_string(*generation) : "";
  const RawResponse response =
      Call("POST", ObjectPath(source) + (is_rewrite ? "/rewriteTo/b/" : "/copyTo/b/") + options_.bucket + "/o/" +
                       EncodeSegment(name) + "?alt=json" + selected + Parameters(conditions));
  if (from == nullptr) return Expect(response, 404);
  if (!conditions.Hold(reference_.Live(name))) return Expect(response, conditions.refusal());
  Expect(response, 200);
  Version copy = *from;
  copy.metageneration = 1;
  RawResponse resource = response;
  if (is_rewrite) {
    const json answer = json::parse(response.body);
    Expect(answer.at("done") == true, "a rewrite that is done");
    resource.body = answer.at("resource").dump();
  }
  Stored(resource, name, std::move(copy));
}

void ModelClient::Move() {
  const std::string source = AnyName();
  const std::string name = AnyName();
  if (source == name) return;
  const Version* from = reference_.Live(source);
  const Conditions conditions = AnyConditions(reference_.Live(name));
  operation_ = "move " + source + " to " + name;
  const RawResponse response =
      Call("POST", ObjectPath(source) + "/moveTo/o/" + EncodeSegment(name) + "?alt=json" + Parameters(conditions));
  if (from == nullptr) return Expect(response, 404);
  if (!conditions.Hold(reference_.Live(name))) return Expect(response, conditions.refusal());
  Expect(response, 200);
  Version moved = *from;
  moved.metageneration = 1;
  reference_.Delete(source);
  Stored(response, name, std::move(moved));
}

void ModelClient::Compose() {
  const std::string name = AnyName();
  const Conditions conditions = AnyConditions(reference_.Live(name));
  Version joined{.content_type = "joined/type"};
  json sources = json::array();
  bool has_all = true;
  for (std::uint64_t i = 1 + Below(4); i != 0; --i) {
    const std::string source = AnyName();
    const Version* live = reference_.Live(source);
    has_all = has_all && live != nullptr && live->bytes.size() < 2'000'000;
    if (live != nullptr && live->bytes.size() >= 2'000'000) return;  // it would grow without limit
    if (live != nullptr) joined.bytes += live->bytes;
    sources.push_back({{"name", source}});
  }
  operation_ = "compose " + name + " of " + sources.dump();
  const json request = {{"sourceObjects", sources}, {"destination", {{"contentType", joined.content_type}}}};
  const RawResponse response =
      Call("POST", ObjectPath(name) + "/compose?alt=json" + Parameters(conditions), "", request.dump());
  if (!has_all) return Expect(response.status == 404 || response.status == conditions.refusal(), "a refusal");
  if (!conditions.Hold(reference_.Live(name))) return Expect(response, conditions.refusal());
  Expect(response, 200);
  Stored(response, name, std::move(joined));
}

void ModelClient::List() {
  static constexpr std::array<const char*, 6> kGlobs = {"", "", "**", "*", "dir/*", "?*b"};
  const std::string& prefix = options_.prefix;
  Listing listing{.prefix = prefix, .has_versions = Below(2) == 0};
  if (Below(2) == 0) listing.delimiter = "/";
  if (Below(3) == 0) listing.prefix += "dir";
  if (Below(3) == 0) listing.start_offset = AnyName();
  const std::string glob = kGlobs[Below(kGlobs.size())];
  if (!glob.empty()) listing.glob = prefix + glob;
  operation_ = "list";
  const Listed shown = ListPages(listing);
  const Listed expected = reference_.List(listing);
  Expect(shown == expected, "the list " + json(expected.objects).dump() + json(expected.prefixes).dump() + ", not " +
                                json(shown.objects).dump() + json(shown.prefixes).dump());
}

Listed ModelClient::ListPages(const Listing& listing) {
  std::string target = "/storage/v1/b/" + options_.bucket + "/o?prefix=" + EncodeSegment(listing.prefix) +
                       "&maxResults=" + std::to_string(1 + Below(5));
  if (!listing.delimiter.empty()) target += "&delimiter=" + EncodeSegment(listing.delimiter);
  if (!listing.start_offset.empty()) target += "&startOffset=" + EncodeSegment(listing.start_offset);
  if (!listing.glob.empty()) target += "&matchGlob=" + EncodeSegment(listing.glob);
  if (listing.has_versions) target += "&versions=true";
  Listed listed;
  std::string token;
  do {
    const RawResponse response = Call("GET", target + (token.empty() ? "" : "&pageToken=" + EncodeSegment(token)));
    Expect(response, 200);
    const json page = json::parse(response.body);
    for (const json& item : page.value("items", json::array())) {
      listed.objects.emplace_back(item.at("name"), std::stoll(item.at("generation").get<std::string>()));
    }
    for (const json& folded : page.value("prefixes", json::array())) listed.prefixes.push_back(folded);
    token = page.value("nextPageToken", "");
  } while (!token.empty());
  return listed;
}

}  // namespace gcsflux::emulator
