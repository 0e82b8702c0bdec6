// Objections to composing in a bucket, and their effects.
#include "transfer/composition/bucket_check.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "transfer/composition/composition_test.h"

namespace gcsflux {
namespace {

using namespace std::chrono_literals;

TEST(ObjectionTo, IsEmptyForAPlainStandardBucket) {
  EXPECT_EQ(internal::ObjectionTo({.storage_class = "STANDARD"}), "");
}

TEST(ObjectionTo, NamesExtraCostsOfComposites) {
  struct Case {
    const char* name;
    BucketMetadata bucket;
    const char* want;
  };
  const std::vector<Case> cases = {
      {"soft delete",
       {.soft_delete_retention = 7 * 24h},
       "soft delete keeps deleted composites, and charges for them, for 7 days"},
      {"versioning", {.has_versioning = true}, "object versioning"},
      {"retention", {.retention_period = 1h}, "retention policy does not let composites be deleted for 3600 s"},
      {"hold", {.default_event_based_hold = true}, "event-based hold"},
      {"class", {.storage_class = "NEARLINE"}, "class NEARLINE"},
      {"default key", {.default_kms_key_name = "projects/p/k"}, "default Cloud KMS key, which charges for each use: p"},
  };
  for (const Case& c : cases) {
    EXPECT_NE(internal::ObjectionTo(c.bucket).find(c.want), std::string::npos)
        << c.name << ": " << internal::ObjectionTo(c.bucket);
  }
}

TEST(ObjectionTo, NamesRulesForNewObjects) {
  struct Case {
    const char* name;
    internal::NewObjectRules rules;
    const char* want;  // "" for no objection
  };
  const std::vector<Case> cases = {
      {"Autoclass", {.has_autoclass = true}, "Autoclass"},
      {"ACLs", {.has_object_acls = true, .default_acl = {"project-owners-1", "project-viewers-1"}}, ""},
      {"wide ACL", {.has_object_acls = true, .default_acl = {"project-owners-1", "allUsers"}}, "lets allUsers read"},
      {"notifications", {.has_notifications = true}, "notifications are sent for each composite"},
  };
  for (const Case& c : cases) {
    const std::string got = internal::ObjectionTo({.storage_class = "STANDARD"}, c.rules);
    EXPECT_NE(got.find(c.want), std::string::npos) << c.name << ": " << got;
    EXPECT_EQ(got.empty(), *c.want == '\0') << c.name << ": " << got;
  }
}

// Why nothing is composed in "bkt". kAuto checks while it reads, and the answer may arrive after the last object.
std::string AwaitReason(const Downloader& downloader) {
  while (true) {
    const auto report = downloader.composition_report();
    if (const auto found = report.reasons.find("bkt"); found != report.reasons.end()) return found->second;
    std::this_thread::yield();
  }
}

class BucketSettings : public testing::CompositionTest {
 protected:
  BucketSettings() : CompositionTest({.default_soft_delete = 7 * 24h}) {}
};

TEST_F(BucketSettings, WarnUnderKOn) {
  const auto sources = Store(std::vector<std::size_t>(8, 500));
  const auto downloader = Composing();
  ExpectBatch(sources, downloader.Download(sources));
  const auto report = downloader.composition_report();
  EXPECT_GE(report.composites, 1U);
  EXPECT_NE(report.warnings.at("bkt").find("soft delete"), std::string::npos);
}

TEST_F(BucketSettings, PreventComposingUnderKAuto) {
  const auto sources = Store(std::vector<std::size_t>(500, 50));
  const auto downloader = Composing(CompositionMode::kAuto);
  ExpectBatch(sources, downloader.Download(sources));
  EXPECT_EQ(Requests("storage.objects.compose"), 0U);
  EXPECT_NE(AwaitReason(downloader).find("soft delete"), std::string::npos);
}

// A fault plan sets the service's answer, so that it needs no identities.
class BucketAnswers : public testing::CompositionTest {
 protected:
  void Answer(const char* operation, std::uint64_t status, std::optional<std::string> body = {}) {
    testing::LoadFault(emulator_, "answer", {.operation = operation},
                       {.type = "status", .status = status, .body = std::move(body)});
  }
};

TEST_F(BucketAnswers, FailKOnWithTheRemedyWithoutPermission) {
  const auto sources = Store(std::vector<std::size_t>(500, 50));
  Answer("storage.buckets.testIamPermissions", 200, R"({"permissions":["storage.objects.create"]})");
  const auto batch = Composing().Download(sources);
  ASSERT_TRUE(testing::FailsWith(batch, ErrorCode::kPermissionDenied));
  for (const char* said : {"storage.objects.delete", "roles/storage.objectUser", "--composition=off"}) {
    EXPECT_NE(batch.error().message.find(said), std::string::npos) << batch.error().message;
  }
  EXPECT_EQ(Requests("storage.objects.compose"), 0U);
  EXPECT_EQ(emulator_.faults().Fired("answer"), 1U);
  EXPECT_TRUE(events_->refusals.empty());
}

TEST_F(BucketAnswers, MakeKAutoReadDirectlyWithoutPermission) {
  const auto sources = Store(std::vector<std::size_t>(500, 50));
  Answer("storage.buckets.testIamPermissions", 200, R"({"permissions":["storage.objects.create"]})");
  for (int i = 0; i < 2; ++i) {
    const auto downloader = Composing(CompositionMode::kAuto);
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_NE(AwaitReason(downloader).find("roles/storage.objectUser"), std::string::npos);
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_EQ(downloader.composition_report().direct_objects, 2 * sources.size());
    EXPECT_EQ(downloader.composition_report().fallbacks, 0U);
  }
  EXPECT_EQ(Requests("storage.objects.compose"), 0U);
  EXPECT_EQ(emulator_.faults().Fired("answer"), 2U) << "once for each downloader";
  ASSERT_EQ(events_->refusals.size(), 1U) << "once for the client";
  EXPECT_EQ(events_->refusals[0].first, "bkt");
  EXPECT_NE(events_->refusals[0].second.find("storage.objects.delete"), std::string::npos);
}

TEST_F(BucketAnswers, MakeKAutoReadDirectlyIfTheCheckFails) {
  const auto sources = Store(std::vector<std::size_t>(500, 50));
  Answer("storage.buckets.testIamPermissions", 403);
  {
    const auto downloader = Composing(CompositionMode::kAuto);
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_NE(AwaitReason(downloader).find("could not be found out"), std::string::npos);
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_EQ(downloader.composition_report().direct_objects, 2 * sources.size());
  }
  EXPECT_EQ(emulator_.faults().Fired("answer"), 1U) << "it is not asked again";
  ASSERT_EQ(events_->refusals.size(), 1U);
  EXPECT_NE(events_->refusals[0].second.find("could not be found out"), std::string::npos);
  EXPECT_TRUE(testing::FailsWith(Composing().Download(sources), ErrorCode::kPermissionDenied));
  EXPECT_EQ(Requests("storage.objects.compose"), 0U);
}

// The check allows it, and the service refuses each compose: a condition on names, a perimeter.
TEST_F(BucketAnswers, StopKAutoAtARefusedCompose) {
  const auto sources = Store(std::vector<std::size_t>(500, 50));
  Answer("storage.objects.compose", 403);
  {
    const auto downloader = Composing(CompositionMode::kAuto);
    ExpectBatch(sources, downloader.Download(sources));
    while (emulator_.faults().Fired("answer") == 0) ExpectBatch(sources, downloader.Download(sources));
    EXPECT_NE(AwaitReason(downloader).find("composing was refused"), std::string::npos);
    const auto fired = emulator_.faults().Fired("answer");
    EXPECT_LE(fired, 4U) << "one for each connection";
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_EQ(emulator_.faults().Fired("answer"), fired);
  }
  ASSERT_EQ(events_->refusals.size(), 1U);
  EXPECT_NE(events_->refusals[0].second.find("composing was refused"), std::string::npos);
}

TEST_F(BucketAnswers, PreventComposingIfSettingsAreUnreadable) {
  const auto sources = Store(std::vector<std::size_t>(500, 50));
  Answer("storage.buckets.get", 403);
  const auto automatic = Composing(CompositionMode::kAuto);
  ExpectBatch(sources, automatic.Download(sources));
  EXPECT_EQ(Requests("storage.objects.compose"), 0U);
  EXPECT_NE(AwaitReason(automatic).find("storage.buckets.get"), std::string::npos);
  const auto on = Composing();
  ExpectBatch(sources, on.Download(sources));
  EXPECT_GE(on.composition_report().composites, 1U);
  EXPECT_NE(on.composition_report().warnings.at("bkt").find("storage.buckets.get"), std::string::npos);
  EXPECT_EQ(emulator_.faults().Fired("answer"), 2U) << "once for each downloader";
}

TEST_F(BucketAnswers, PreventComposingIfCopiesWouldDiffer) {
  struct Case {
    const char* operation;
    const char* body;
    const char* reason;
  };
  const std::vector<Case> cases = {
      {"storage.buckets.get", R"({"name":"bkt","encryption":{"defaultKmsKeyName":"p/k"}})", "default Cloud KMS key"},
      {"storage.buckets.get", R"({"name":"bkt","autoclass":{"enabled":true}})", "Autoclass"},
      {"storage.buckets.get", R"({"name":"bkt","defaultObjectAcl":[{"entity":"allUsers","role":"READER"}]})",
       "allUsers"},
  };
  const auto sources = Store(std::vector<std::size_t>(500, 50));
  for (const Case& c : cases) {
    Answer(c.operation, 200, c.body);
    const auto downloader = Composing(CompositionMode::kAuto);
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_NE(AwaitReason(downloader).find(c.reason), std::string::npos) << AwaitReason(downloader);
    EXPECT_GE(emulator_.faults().Fired("answer"), 1U) << c.reason;
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_EQ(downloader.composition_report().direct_objects, 2 * sources.size()) << c.reason;
  }
  EXPECT_EQ(Requests("storage.objects.compose"), 0U);
}

TEST_F(BucketAnswers, PreventComposingWithUnreadableNotifications) {
  struct Case {
    int status;
    const char* body;
    const char* want;
  };
  const std::vector<Case> cases = {{200, R"({"kind":"storage#notifications"})", ""},
                                   {200, R"({"items":[{"id":"1"}]})", "notifications are sent"},
                                   {403, "", "storage.buckets.get"},
                                   {404, "", ""},
                                   {501, "", ""}};
  for (const Case& c : cases) {
    testing::LoadFault(emulator_, "answer", {.operation = "storage.notifications.list"},
                       {.type = "status", .status = static_cast<std::uint64_t>(c.status), .body = std::string(c.body)});
    const auto check = internal::CheckBucket(client_, "bkt", {});
    ASSERT_TRUE(check.ok()) << check.error().message;
    EXPECT_NE(check->objection.find(c.want), std::string::npos) << check->objection;
    EXPECT_EQ(check->objection.empty(), *c.want == '\0') << check->objection;
    EXPECT_EQ(emulator_.faults().Fired("answer"), 1U) << c.status;
  }
}

using BucketCheckTest = testing::CompositionTest;

// The service sends only the settings that the check asks for.
TEST_F(BucketCheckTest, ReadsEachSettingThatItChecks) {
  struct Case {
    const char* name;
    const char* settings;
    const char* want;
  };
  const std::vector<Case> cases = {
      {"bucket-1", R"("encryption": {"defaultKmsKeyName": "projects/p/locations/l/keyRings/r/cryptoKeys/k"})",
       "Cloud KMS"},
      {"bucket-2", R"("autoclass": {"enabled": true})", "Autoclass"},
      {"bucket-3", R"("versioning": {"enabled": true})", "versioning"},
      {"bucket-4", R"("softDeletePolicy": {"retentionDurationSeconds": "604800"})", "soft delete"},
      {"bucket-5", R"("retentionPolicy": {"retentionPeriod": "3600"})", "retention policy"},
      {"bucket-6", R"("defaultEventBasedHold": true)", "event-based hold"},
      {"bucket-7", R"("storageClass": "NEARLINE")", "NEARLINE"},
  };
  for (const Case& c : cases) {
    const auto made = emulator::RawConnection(emulator_.endpoint())
                          .Call("POST", "/storage/v1/b?project=p", "Content-Type: application/json\r\n",
                                std::string(R"({"name": ")") + c.name + "\", " + c.settings + "}");
    ASSERT_EQ(made.status, 200) << made.body;
    const auto check = internal::CheckBucket(client_, c.name, {});
    ASSERT_TRUE(check.ok()) << check.error().message;
    EXPECT_NE(check->objection.find(c.want), std::string::npos) << c.settings << ": " << check->objection;
  }
  const auto with_key = internal::CheckBucket(client_, "bucket-1", {.names_key = true});
  ASSERT_TRUE(with_key.ok());
  EXPECT_EQ(with_key->objection, "") << "composites are not under the default key";
}

class KmsKeys : public testing::CompositionTest {
 protected:
  static constexpr auto kKey = "projects/p/locations/l/keyRings/r/cryptoKeys/k";
  static constexpr auto kOtherKey = "projects/p/locations/l/keyRings/r/cryptoKeys/other";

  // Every second object is under the key.
  std::vector<DownloadSource> StoreMixed() {
    for (int i = 0; i < 40; ++i) {
      const ObjectName name{"bkt", "mixed-" + std::to_string(100 + i)};
      contents_[name] = name.name;
      InsertObjectOptions options;
      if (i % 2 == 1) options.kms_key_name = kKey;
      EXPECT_TRUE(client_.InsertObject(name, AsBytes(name.name), options).ok());
    }
    return DownloadSources("bkt", ListInParallel(client_, {"bkt", "mixed-"})->objects);
  }
};

TEST_F(KmsKeys, AppearInListings) {
  const auto sources = StoreMixed();
  ASSERT_EQ(sources.size(), 40U);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(sources[i].kms_key_name.name().starts_with(kKey), i % 2 == 1) << i;
  }
}

TEST_F(KmsKeys, PreventComposingWithTheReason) {
  const auto all = StoreMixed();
  std::vector<DownloadSource> sources;
  for (const bool has_key : {false, true}) {
    for (const DownloadSource& source : all) {
      if (source.kms_key_name.empty() != has_key) sources.push_back(source);
    }
  }
  for (const CompositionMode mode : {CompositionMode::kOn, CompositionMode::kAuto}) {
    const auto downloader = Composing(mode);
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_LE(downloader.composition_report().composed_objects, 20U);
    EXPECT_NE(AwaitReason(downloader).find(kKey), std::string::npos);
  }
  EXPECT_GE(Requests("storage.objects.compose"), 1U);
  for (const auto& record : emulator_.journal()) {
    if (record.operation != "storage.objects.compose") continue;
    EXPECT_EQ(record.target.find("kmsKeyName"), std::string::npos) << record.target;
  }
}

TEST_F(KmsKeys, EncryptCompositesIfChosen) {
  const auto sources = StoreMixed();
  const Downloader downloader(
      client_, {.max_concurrency = 4, .composition = CompositionMode::kOn, .composition_kms_key_name = kKey});
  ExpectBatch(sources, downloader.Download(sources));
  EXPECT_EQ(downloader.composition_report().composed_objects, 40U) << downloader.composition_report().last_failure;
  for (const auto& record : emulator_.journal()) {
    if (record.operation != "storage.objects.compose") continue;
    EXPECT_NE(record.target.find("kmsKeyName="), std::string::npos) << record.target;
  }
}

TEST_F(KmsKeys, PreventComposingIfNotChosen) {
  const auto sources = StoreMixed();
  const Downloader downloader(
      client_, {.max_concurrency = 4, .composition = CompositionMode::kOn, .composition_kms_key_name = kOtherKey});
  ExpectBatch(sources, downloader.Download(sources));
  EXPECT_EQ(downloader.composition_report().composed_objects, 0U) << "no two neighbours may be joined";
  EXPECT_EQ(Requests("storage.objects.compose"), 0U);
  EXPECT_NE(AwaitReason(downloader).find(kKey), std::string::npos);
}

TEST_F(KmsKeys, AreLimitedToFourInAReport) {
  std::vector<DownloadSource> sources = StoreMixed();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sources[i].kms_key_name = InternedName("cryptoKeys/k" + std::to_string(i % 10));
  }
  const Downloader downloader(client_, {.max_concurrency = 4, .composition = CompositionMode::kOn});
  ExpectBatch(sources, downloader.Download(sources));
  EXPECT_TRUE(AwaitReason(downloader)
                  .ends_with(": cryptoKeys/k0, cryptoKeys/k1, cryptoKeys/k2, cryptoKeys/k3, and maybe others"))
      << AwaitReason(downloader);
}

// The answers of an emulator that checks roles: all users have this one in "bkt", which has 500 computed objects.
class Roles : public ::testing::TestWithParam<const char*> {
 protected:
  emulator::Emulator emulator_{{.virtual_buckets = {{.name = "bkt", .count = 500, .size_bytes = 100}},
                                .auth = emulator::AuthOptions{.config = std::string(R"({"project_id": "p", "roles": [
           {"principal": "allUsers", "bucket": "bkt", "role": ")") + GetParam() +
                                                                        "\"}]}"}}};
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint()});

  Result<std::vector<DownloadedObject>> Download(const Downloader& downloader) {
    const auto listing = ListPrefix(client_, {"bkt", ""});
    if (!listing) return listing.error();
    return downloader.Download(DownloadSources(listing->objects));
  }
};

using Viewers = Roles;
TEST_P(Viewers, CannotCompose) {
  const Downloader automatic(client_, {.composition = CompositionMode::kAuto});
  ASSERT_TRUE(Download(automatic).ok());
  EXPECT_NE(AwaitReason(automatic).find("roles/storage.objectUser"), std::string::npos);
  ASSERT_TRUE(Download(automatic).ok());
  EXPECT_EQ(automatic.composition_report().direct_objects, 1000U);
  const Downloader downloader(client_, {.composition = CompositionMode::kOn});
  const auto batch = Download(downloader);
  ASSERT_TRUE(testing::FailsWith(batch, ErrorCode::kPermissionDenied));
  EXPECT_NE(batch.error().message.find("lacks storage.objects.create, storage.objects.delete"), std::string::npos)
      << batch.error().message;
}
INSTANTIATE_TEST_SUITE_P(, Viewers, ::testing::Values("viewer"));

using Users = Roles;
TEST_P(Users, ComposeOnlyIfConfigured) {
  const Downloader automatic(client_, {.composition = CompositionMode::kAuto});
  ASSERT_TRUE(Download(automatic).ok());
  EXPECT_EQ(automatic.composition_report().composites, 0U);
  EXPECT_NE(AwaitReason(automatic).find("storage.buckets.get"), std::string::npos);
  const Downloader on(client_, {.composition = CompositionMode::kOn});
  const auto composed = Download(on);
  ASSERT_TRUE(composed.ok()) << composed.error().message;
  EXPECT_EQ(on.composition_report().composed_objects, 500U) << on.composition_report().last_failure;
  EXPECT_NE(on.composition_report().warnings.at("bkt").find("storage.buckets.get"), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(, Users, ::testing::Values("user"));

}  // namespace
}  // namespace gcsflux
