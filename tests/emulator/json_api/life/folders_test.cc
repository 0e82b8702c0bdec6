// The folders of a hierarchical namespace.

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/json_client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

const std::string kBucket = "/storage/v1/b/bucket";
const std::string kFolders = kBucket + "/folders";
const std::string kObjects = kBucket + "/o";

json TreeBucket(const std::string& name) {
  return {{"name", name},
          {"hierarchicalNamespace", {{"enabled", true}}},
          {"iamConfiguration", {{"uniformBucketLevelAccess", {{"enabled", true}}}}}};
}

class FoldersTest : public EmulatorTest {
 protected:
  void SetUp() override { client_.Answer("POST", "/storage/v1/b", TreeBucket("bucket")); }

  Names NamesOf(const std::string& target) {
    Names names;
    for (const json& item : client_.Answer("GET", target).value("items", json::array()))
      names.push_back(item.at("name"));
    return names;
  }
  std::string Make(const std::string& name, const std::string& query = "") {
    const RawResponse response = client_.Call("POST", kFolders + query, {{"name", name}});
    return response.status == 200 ? "200" : client_.Refusal("POST", kFolders + query, {{"name", name}});
  }
  std::string Rename(const std::string& from, const std::string& to, const std::string& query = "") {
    return client_.Refusal("POST", kFolders + "/" + from + "/renameTo/folders/" + to + query);
  }

  JsonClient client_{endpoint()};
};

TEST_F(FoldersTest, AreMadeByObjectsAndByName) {
  ASSERT_EQ(client_.Insert("bucket", "a%2Fb%2Fc"), 200);
  EXPECT_EQ(NamesOf(kFolders), (Names{"a/", "a/b/"}));
  EXPECT_EQ(Make("d/"), "200");
  EXPECT_EQ(Make("d"), "409 conflict");
  EXPECT_EQ(Make("x/y/"), "404 notFound");
  EXPECT_EQ(Make("x/y/", "?recursive=true"), "200");
  for (const char* name : {"/a/", "a//b/", ""}) EXPECT_EQ(Make(name), "400 invalid") << name;
  EXPECT_EQ(NamesOf(kFolders), (Names{"a/", "a/b/", "d/", "x/", "x/y/"}));
  const json folder = client_.Answer("GET", kFolders + "/x%2Fy%2F");
  EXPECT_EQ(folder.at("kind"), "storage#folder");
  EXPECT_EQ(folder.at("metageneration"), "1");
  EXPECT_EQ(folder.at("id"), "bucket/x/y/");
  EXPECT_EQ(client_.Status("GET", kFolders + "/x%2Fy%2F?ifMetagenerationMatch=2"), 412);
  EXPECT_EQ(client_.Refusal("GET", kFolders + "/none"), "404 notFound");
}

TEST_F(FoldersTest, AreListedByPrefixDepthAndPage) {
  for (const char* name : {"a/", "a/b/", "a/b/c/", "a/d/", "e/"}) ASSERT_EQ(Make(name), "200");
  EXPECT_EQ(NamesOf(kFolders + "?prefix=a%2F&delimiter=%2F"), (Names{"a/b/", "a/d/"}));
  EXPECT_EQ(NamesOf(kFolders + "?delimiter=%2F"), (Names{"a/", "e/"}));
  EXPECT_EQ(NamesOf(kFolders + "?startOffset=a%2Fb%2Fc&endOffset=e"), (Names{"a/b/c/", "a/d/"}));
  Names paged;
  std::string token;
  do {
    const json page = client_.Answer("GET", kFolders + "?pageSize=2&pageToken=" + token);
    for (const json& item : page.at("items")) paged.push_back(item.at("name"));
    token = page.value("nextPageToken", "");
  } while (!token.empty());
  EXPECT_EQ(paged, NamesOf(kFolders));
  EXPECT_EQ(client_.Status("GET", kFolders + "?delimiter=x"), 400);
}

TEST_F(FoldersTest, AreAmongThePrefixesOfAListing) {
  ASSERT_EQ(Make("empty/"), "200");
  ASSERT_EQ(client_.Insert("bucket", "full%2Fo"), 200);
  ASSERT_EQ(client_.Insert("bucket", "top"), 200);
  const auto prefixes = [&](const std::string& query) {
    return client_.Answer("GET", kObjects + query).value("prefixes", Names());
  };
  EXPECT_EQ(prefixes("?delimiter=%2F"), Names{"full/"});
  EXPECT_EQ(prefixes("?delimiter=%2F&includeFoldersAsPrefixes=true"), (Names{"empty/", "full/"}));
  EXPECT_EQ(NamesOf(kObjects + "?delimiter=%2F&includeFoldersAsPrefixes=true"), Names{"top"});
  EXPECT_EQ(NamesOf(kObjects + "?includeFoldersAsPrefixes=true"), (Names{"full/o", "top"}));
  Names paged;
  std::string token;
  do {
    const json page = client_.Answer(
        "GET", kObjects + "?delimiter=%2F&includeFoldersAsPrefixes=true&maxResults=1&pageToken=" + token);
    for (const json& prefix : page.value("prefixes", json::array())) paged.push_back(prefix);
    for (const json& item : page.value("items", json::array())) paged.push_back(item.at("name"));
    token = page.value("nextPageToken", "");
  } while (!token.empty());
  EXPECT_EQ(paged, (Names{"empty/", "full/", "top"}));
}

TEST_F(FoldersTest, OnlyEmptyOnesAreDeleted) {
  ASSERT_EQ(client_.Insert("bucket", "a%2Fb%2Fo"), 200);
  EXPECT_EQ(client_.Refusal("DELETE", kFolders + "/a"), "409 conflict");
  EXPECT_EQ(client_.Refusal("DELETE", kFolders + "/a%2Fb"), "409 conflict");
  ASSERT_EQ(client_.Status("DELETE", kObjects + "/a%2Fb%2Fo"), 204);
  EXPECT_EQ(client_.Refusal("DELETE", kFolders + "/a"), "409 conflict");
  EXPECT_EQ(client_.Status("DELETE", kBucket), 409) << "it has folders";
  EXPECT_EQ(client_.Status("DELETE", kFolders + "/a%2Fb?ifMetagenerationMatch=7"), 412);
  EXPECT_EQ(client_.Status("DELETE", kFolders + "/a%2Fb"), 204);
  EXPECT_EQ(client_.Status("DELETE", kFolders + "/a"), 204);
  EXPECT_EQ(client_.Status("DELETE", kFolders + "/a"), 404);
  EXPECT_EQ(client_.Status("DELETE", kBucket), 204);
}

TEST_F(FoldersTest, ATreeIsDeletedByAnOperation) {
  for (const char* name : {"a%2F1", "a%2Fb%2F2", "other%2F3"}) ASSERT_EQ(client_.Insert("bucket", name), 200);
  const json operation = client_.Answer("POST", kFolders + "/a/deleteRecursive");
  EXPECT_TRUE(operation.at("done").get<bool>());
  EXPECT_EQ(NamesOf(kObjects), Names{"other/3"});
  EXPECT_EQ(NamesOf(kFolders), Names{"other/"});
}

TEST_F(FoldersTest, ARenameMovesAllThatIsWithin) {
  for (const char* name : {"a%2F1", "a%2Fb%2F2", "ab%2F3"}) ASSERT_EQ(client_.Insert("bucket", name), 200);
  const json before = client_.Answer("GET", kObjects + "/a%2Fb%2F2");
  ASSERT_EQ(Make("to/"), "200");
  const json operation = client_.Answer("POST", kFolders + "/a%2F/renameTo/folders/to%2Fnew%2F");
  EXPECT_EQ(operation.at("kind"), "storage#operation");
  EXPECT_EQ(operation.at("response").at("name"), "to/new/");
  EXPECT_EQ(operation.at("metadata").at("sourceFolderId"), "a/");
  EXPECT_EQ(NamesOf(kObjects), (Names{"ab/3", "to/new/1", "to/new/b/2"}));
  EXPECT_EQ(NamesOf(kFolders), (Names{"ab/", "to/", "to/new/", "to/new/b/"}));
  const json after = client_.Answer("GET", kObjects + "/to%2Fnew%2Fb%2F2");
  EXPECT_EQ(after.at("generation"), before.at("generation"));
  EXPECT_EQ(RawConnection(endpoint()).Call("GET", kObjects + "/to%2Fnew%2F1?alt=media").body, "0123456789");
}

TEST_F(FoldersTest, ARenameThatCannotBeChangesNothing) {
  for (const char* name : {"a%2F1", "b%2F2"}) ASSERT_EQ(client_.Insert("bucket", name), 200);
  EXPECT_EQ(Rename("a", "a"), "400 invalid");
  EXPECT_EQ(Rename("a", "a%2Fwithin"), "400 invalid");
  EXPECT_EQ(Rename("a", "b"), "409 conflict");
  EXPECT_EQ(Rename("a", "none%2Fwithin"), "404 notFound");
  EXPECT_EQ(Rename("none", "c"), "404 notFound");
  EXPECT_EQ(Rename("a", "c", "?ifSourceMetagenerationMatch=7"), "412 conditionNotMet");
  client_.Answer("PATCH", kObjects + "/a%2F1", {{"temporaryHold", true}});
  EXPECT_EQ(Rename("a", "c"), "403 objectUnderActiveHold");
  EXPECT_EQ(NamesOf(kObjects), (Names{"a/1", "b/2"}));
}

TEST_F(FoldersTest, ARenameIsSeenAsAWhole) {
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client_.Insert("bucket", "a%2F" + std::to_string(i)), 200);
  std::atomic<bool> is_done = false;
  std::thread renaming([&] {
    JsonClient other(endpoint());
    for (int i = 0; i < 20; ++i) {
      other.Answer("POST", kFolders + "/a/renameTo/folders/b");
      other.Answer("POST", kFolders + "/b/renameTo/folders/a");
    }
    is_done = true;
  });
  while (!is_done) {
    const Names names = NamesOf(kObjects + "?fields=items(name)");
    ASSERT_EQ(names.size(), 50U);
    EXPECT_EQ(names.front().front(), names.back().front());
  }
  renaming.join();
}

TEST_F(FoldersTest, ABucketHasThemFromTheStartOrNever) {
  EXPECT_TRUE(client_.Answer("GET", kBucket + "/storageLayout").at("hierarchicalNamespace").at("enabled").get<bool>());
  const json off = {{"hierarchicalNamespace", {{"enabled", false}}}};
  EXPECT_EQ(client_.Refusal("PATCH", kBucket, off), "400 invalid");
  EXPECT_EQ(client_.Refusal("PATCH", kBucket, {{"versioning", {{"enabled", true}}}}), "400 invalid");
  EXPECT_EQ(client_.Status("PATCH", kBucket, {{"labels", {{"a", "b"}}}}), 200);
  EXPECT_EQ(
      client_.Refusal("POST", "/storage/v1/b", {{"name", "other"}, {"hierarchicalNamespace", {{"enabled", true}}}}),
      "400 invalid");
  client_.Answer("POST", "/storage/v1/b", {{"name", "flat"}});
  EXPECT_EQ(client_.Refusal("POST", "/storage/v1/b/flat/folders", {{"name", "a/"}}), "400 invalid");
  EXPECT_EQ(client_.Refusal("PATCH", "/storage/v1/b/flat", {{"hierarchicalNamespace", {{"enabled", true}}}}),
            "400 invalid");
  EXPECT_EQ(NamesOf("/storage/v1/b/flat/folders"), Names());
}

}  // namespace
}  // namespace gcsflux::emulator
