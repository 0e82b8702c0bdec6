// The operations beyond reading and writing bytes, with their options, against the embedded emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OperationsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    const auto stored = client_.InsertObject(kSource, AsBytes("bytes"), {.attributes = {.metadata = {{"k", "v"}}}});
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    source_ = *stored;
  }

  // The next `count` requests of the operation are answered 503.
  void FailNext(const std::string& operation, std::uint64_t count = 1) {
    testing::LoadFault(emulator_, "it", {.operation = operation}, {.type = "status", .status = 503}, count);
  }
  std::vector<emulator::RequestRecord> RecordsOf(const std::string& operation) {
    auto records = emulator_.journal();
    std::erase_if(records,
                  [&](const auto& record) { return record.operation != operation || record.number <= forgotten_; });
    return records;
  }
  void ForgetRecords() { forgotten_ = emulator_.journal().back().number; }

  const ObjectName kSource{"bkt", "source"};
  const ObjectName kTarget{"bkt", "target"};
  emulator::Emulator emulator_;
  Client client_ =
      *Client::Create({.endpoint = emulator_.endpoint(),
                       .project = "test",
                       .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(2)})});
  ObjectMetadata source_;
  std::uint64_t forgotten_ = 0;
};

TEST_F(OperationsTest, InsertStoresEveryAttribute) {
  const ObjectAttributes attributes{.content_type = "text/plain",
                                    .content_encoding = "identity",
                                    .content_disposition = "attachment",
                                    .content_language = "de",
                                    .cache_control = "no-store",
                                    .storage_class = "NEARLINE",
                                    .custom_time = std::chrono::system_clock::time_point(milliseconds(1'500)),
                                    .temporary_hold = true,
                                    .metadata = {{"\xC3\xA9", "v"}}};
  const auto stored = client_.InsertObject(kTarget, AsBytes("x"), {.attributes = attributes, .kms_key_name = "p/k"});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  const auto found = client_.GetObject(kTarget);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const ObjectAttributes kept{.content_type = found->content_type,
                              .content_encoding = found->content_encoding,
                              .content_disposition = found->content_disposition,
                              .content_language = found->content_language,
                              .cache_control = found->cache_control,
                              .storage_class = found->storage_class,
                              .custom_time = found->custom_time,
                              .event_based_hold = found->event_based_hold,
                              .temporary_hold = found->temporary_hold,
                              .metadata = found->metadata};
  EXPECT_EQ(kept, attributes);
  EXPECT_THAT(found->kms_key_name, ::testing::HasSubstr("p/k"));
}

TEST_F(OperationsTest, FieldsOmitsOtherMetadata) {
  const auto got = client_.GetObject(kSource, {.fields = "size"});
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->name, "source");
  EXPECT_EQ(got->generation, source_.generation);
  EXPECT_EQ(got->size, 5U);
  EXPECT_FALSE(got->crc32c.has_value());
  const auto page = client_.ListObjects({"bkt"}, {.fields = "size"});
  ASSERT_TRUE(page.ok()) << page.error().message;
  EXPECT_EQ(page->objects.at(0).size, 5U);
  EXPECT_TRUE(page->objects.at(0).content_type.empty());
  const auto bucket = client_.GetBucket("bkt", {.fields = "metageneration"});
  ASSERT_TRUE(bucket.ok()) << bucket.error().message;
  EXPECT_TRUE(bucket->location.empty());
}

TEST_F(OperationsTest, PatchChangesTheNamedAttributes) {
  const auto patched =
      client_.PatchObject(kSource, {.cache_control = "no-store", .metadata = {{"k", std::nullopt}, {"new", "1"}}},
                          {.generation = source_.generation, .preconditions = {.if_metageneration_match = 1}});
  ASSERT_TRUE(patched.ok()) << patched.error().message;
  EXPECT_EQ(patched->generation, source_.generation);
  EXPECT_EQ(patched->metageneration, 2);
  EXPECT_EQ(patched->cache_control, "no-store");
  EXPECT_EQ(patched->metadata, (std::map<std::string, std::string>{{"new", "1"}}));
  EXPECT_EQ(patched->content_type, source_.content_type);
  EXPECT_EQ(testing::ErrorOf(client_.PatchObject(kSource, {}, {.preconditions = {.if_metageneration_match = 1}})).code,
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(testing::ErrorOf(client_.PatchObject(kSource, {.content_language = "\xFF"})).code,
            ErrorCode::kInvalidArgument);
}

TEST_F(OperationsTest, UpdateReplacesAllAttributes) {
  const auto updated = client_.UpdateObject(kSource, {.content_type = "text/plain", .content_language = "de"});
  ASSERT_TRUE(updated.ok()) << updated.error().message;
  EXPECT_EQ(updated->content_type, "text/plain");
  EXPECT_EQ(updated->content_language, "de");
  EXPECT_THAT(updated->metadata, IsEmpty());
  EXPECT_EQ(updated->metageneration, 2);
}

TEST_F(OperationsTest, CopyKeepsTheSourcesAttributesByDefault) {
  const auto copied = client_.CopyObject(kSource, kTarget, {.source_generation = source_.generation});
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  EXPECT_EQ(copied->crc32c, source_.crc32c);
  EXPECT_EQ(copied->metadata, source_.metadata);
  const auto described = client_.CopyObject(kSource, kTarget,
                                            {.preconditions = {.if_generation_match = copied->generation},
                                             .attributes = ObjectAttributes{.content_type = "a/b"}});
  ASSERT_TRUE(described.ok()) << described.error().message;
  EXPECT_EQ(described->content_type, "a/b");
  EXPECT_THAT(described->metadata, IsEmpty());
  EXPECT_EQ(
      testing::ErrorOf(client_.CopyObject(kSource, kTarget, {.source_preconditions = {.if_generation_match = 1}})).code,
      ErrorCode::kPreconditionFailed);
  EXPECT_EQ(testing::ErrorOf(client_.CopyObject(kSource, kTarget, {.preconditions = {.if_generation_match = 0}})).code,
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(testing::ErrorOf(client_.CopyObject({"bkt", "none"}, kTarget)).code, ErrorCode::kNotFound);
}

TEST_F(OperationsTest, MoveRenamesUnderConditionsOfBothSides) {
  const Preconditions other{.if_generation_match = 1};
  EXPECT_EQ(testing::ErrorOf(client_.MoveObject(kSource, kTarget, {.source_preconditions = other})).code,
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(testing::ErrorOf(client_.MoveObject(kSource, kTarget, {.preconditions = other})).code,
            ErrorCode::kPreconditionFailed);
  const auto moved = client_.MoveObject(kSource, kTarget,
                                        {.source_preconditions = {.if_generation_match = source_.generation},
                                         .preconditions = {.if_generation_match = 0}});
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_EQ(moved->name, kTarget.name);
  EXPECT_EQ(moved->crc32c, source_.crc32c);
  EXPECT_EQ(moved->metadata, source_.metadata);
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kSource)).code, ErrorCode::kNotFound);
  EXPECT_EQ(testing::ErrorOf(client_.MoveObject(kSource, kTarget)).code, ErrorCode::kNotFound);
}

TEST_F(OperationsTest, NewBucketsHaveTheGivenSettings) {
  const auto made = client_.InsertBucket(
      "settings",
      {.location = "EU", .storage_class = "NEARLINE", .soft_delete_retention = std::chrono::hours(24 * 10)});
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto found = client_.GetBucket("settings");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->location + " " + found->storage_class, "EU NEARLINE");
  EXPECT_EQ(found->soft_delete_retention, std::chrono::hours(24 * 10));
}

TEST_F(OperationsTest, NewBucketsMayHaveAHierarchicalNamespace) {
  const auto made = client_.InsertBucket("folders", {.hierarchical_namespace = true});
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto found = client_.GetBucket("folders");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found->has_hierarchical_namespace);
}

TEST_F(OperationsTest, ComposeCountsComponentsAndChecksConditions) {
  const std::vector<ComposeSource> sources = {{.name = "source", .if_generation_match = source_.generation},
                                              {.name = "source", .generation = source_.generation}};
  const auto composed = client_.ComposeObjects(
      sources, kTarget, {.preconditions = {.if_generation_match = 0}, .attributes = {.storage_class = "STANDARD"}});
  ASSERT_TRUE(composed.ok()) << composed.error().message;
  EXPECT_EQ(composed->component_count, 2U);
  EXPECT_EQ(testing::ValueOf(client_.ReadObject(kTarget)), "bytesbytes");
  EXPECT_EQ(testing::ErrorOf(client_.ComposeObjects({{.name = "source", .if_generation_match = 1}}, kTarget)).code,
            ErrorCode::kPreconditionFailed);
  EXPECT_EQ(testing::ErrorOf(client_.ComposeObjects({{.name = "a\nb"}}, kTarget)).code, ErrorCode::kInvalidArgument);
}

class RewriteTest : public OperationsTest {
 protected:
  void SetUp() override {
    OperationsTest::SetUp();
    content_.assign(5'500'000, 'c');
    ASSERT_TRUE(client_.InsertObject(kSource, AsBytes(content_)).ok());
    ForgetRecords();
  }

  // Into another storage class, which moves bytes: at most 2 MiB at a time, three requests in all.
  CopyObjectOptions InSteps() {
    return {.preconditions = {.if_generation_match = 0},
            .attributes = ObjectAttributes{.storage_class = "NEARLINE"},
            .max_bytes_per_request = 2 << 20,
            .on_progress = [this](const Progress& progress) { steps_.push_back(progress); }};
  }

  std::string content_;
  std::vector<Progress> steps_;
};

TEST_F(RewriteTest, ContinuesUntilItIsDone) {
  const auto rewritten = client_.RewriteObject(kSource, kTarget, InSteps());
  ASSERT_TRUE(rewritten.ok()) << rewritten.error().message;
  EXPECT_EQ(rewritten->storage_class, "NEARLINE");
  EXPECT_TRUE(testing::ValueOf(client_.ReadObject(kTarget)) == content_);
  ASSERT_THAT(steps_, SizeIs(3));
  EXPECT_EQ(steps_[0].bytes, 2U << 20);
  EXPECT_EQ(steps_[2].bytes, content_.size());
  EXPECT_EQ(steps_[2].total, content_.size());
  EXPECT_TRUE(steps_[2].rewrite_token.empty());
}

TEST_F(RewriteTest, RetriesAStepWithItsToken) {
  testing::LoadFault(emulator_, "it", {.operation = "storage.objects.rewrite", .nth = 2}, {.type = "loseAnswer"});
  ASSERT_TRUE(client_.RewriteObject(kSource, kTarget, InSteps()).ok());
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  const auto records = RecordsOf("storage.objects.rewrite");
  ASSERT_THAT(records, SizeIs(4));
  EXPECT_EQ(records[1].target, records[2].target);  // with the token of the first step
  EXPECT_NE(records[0].target, records[1].target);
  EXPECT_EQ(records[2].attempt, 2);
  EXPECT_THAT(steps_, SizeIs(3));
}

TEST_F(RewriteTest, ResumesFromATokenOfAnEarlierCall) {
  std::stop_source stop;
  auto options = InSteps();
  options.stop = stop.get_token();
  options.on_progress = [&](const Progress& progress) {
    steps_.push_back(progress);
    stop.request_stop();
  };
  EXPECT_EQ(testing::ErrorOf(client_.RewriteObject(kSource, kTarget, options)).code, ErrorCode::kCancelled);
  ASSERT_THAT(steps_, SizeIs(1));
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kTarget)).code, ErrorCode::kNotFound);
  auto rest = InSteps();
  rest.rewrite_token = steps_[0].rewrite_token;
  const Client other = *Client::Create({.endpoint = emulator_.endpoint()});
  ASSERT_TRUE(other.RewriteObject(kSource, kTarget, rest).ok());
  EXPECT_THAT(RecordsOf("storage.objects.rewrite"), SizeIs(3));
  EXPECT_TRUE(testing::ValueOf(client_.ReadObject(kTarget)) == content_);
}

TEST_F(RewriteTest, ThrowingProgressCallbackFailsWithTheOutcome) {
  auto options = InSteps();
  for (const std::size_t step : {1U, 3U}) {
    steps_.clear();
    options.on_progress = [&](const Progress& progress) {
      steps_.push_back(progress);
      if (steps_.size() == step) throw std::runtime_error("the caller's own trouble");
    };
    const Error error = testing::ErrorOf(client_.RewriteObject(kSource, kTarget, options));
    EXPECT_EQ(error.code, ErrorCode::kLocalIo);
    EXPECT_EQ(error.outcome, step == 3 ? WriteOutcome::kStored : WriteOutcome::kNotStored);
    EXPECT_EQ(client_.GetObject(kTarget).ok(), step == 3);
  }
}

TEST_F(RewriteTest, RefusesATokenOfAnotherRewrite) {
  auto options = InSteps();
  options.rewrite_token = "none of yours";
  EXPECT_EQ(testing::ErrorOf(client_.RewriteObject(kSource, kTarget, options)).code, ErrorCode::kInvalidArgument);
}

// Each operation is retried under the precondition that makes it idempotent, and sent once without it.
TEST_F(OperationsTest, ConditionalWritesAreRetriedAndOthersSentOnce) {
  struct Case {
    std::string operation;
    std::function<bool(bool is_guarded)> run;
  };
  const Case cases[] = {
      {"storage.objects.insert",
       [&](bool is_guarded) {
         InsertObjectOptions options;
         if (is_guarded) options.preconditions.if_generation_match = 0;
         return client_.InsertObject({"bkt", is_guarded ? "a" : "b"}, AsBytes("x"), options).ok();
       }},
      {"storage.objects.patch",
       [&](bool is_guarded) {
         ObjectOptions options{.preconditions = {.if_generation_match = source_.generation}};
         if (is_guarded) options.preconditions.if_metageneration_match = 1;
         return client_.PatchObject(kSource, {.cache_control = "no-store"}, options).ok();
       }},
      {"storage.objects.update",
       [&](bool is_guarded) {
         ObjectOptions options;
         if (is_guarded) options.preconditions.if_metageneration_match = 2;
         return client_.UpdateObject(kSource, {}, options).ok();
       }},
      {"storage.objects.compose",
       [&](bool is_guarded) {
         ComposeObjectsOptions options{.preconditions = {}};
         if (is_guarded) options.preconditions.if_generation_match = 0;
         return client_.ComposeObjects({{"source"}}, {"bkt", "composed"}, options).ok();
       }},
      {"storage.objects.copy",
       [&](bool is_guarded) {
         CopyObjectOptions options{.source_generation = source_.generation};
         if (is_guarded) options.preconditions.if_generation_match = 0;
         return client_.CopyObject(kSource, {"bkt", "copied"}, options).ok();
       }},
      {"storage.objects.rewrite",
       [&](bool is_guarded) {
         CopyObjectOptions options{.source_generation = source_.generation};
         if (is_guarded) options.preconditions.if_generation_match = 0;
         return client_.RewriteObject(kSource, {"bkt", "rewritten"}, options).ok();
       }},
      {"storage.objects.delete",
       [&](bool is_guarded) {
         ObjectOptions options;
         if (is_guarded) options.generation = source_.generation;
         return client_.DeleteObject(kSource, options).ok();
       }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.operation);
    ForgetRecords();
    FailNext(c.operation);
    EXPECT_FALSE(c.run(/*is_guarded=*/false));
    EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
    EXPECT_THAT(RecordsOf(c.operation), SizeIs(1));
    FailNext(c.operation, 2);
    EXPECT_TRUE(c.run(/*is_guarded=*/true));
    EXPECT_EQ(emulator_.faults().Fired("it"), 2U);
    EXPECT_THAT(RecordsOf(c.operation), SizeIs(1 + 3));
  }
}

TEST_F(OperationsTest, BucketsAcceptOnlyMetagenerationConditions) {
  EXPECT_EQ(testing::ErrorOf(client_.GetBucket("bkt", {.preconditions = {.if_metageneration_not_match = 1}})).code,
            ErrorCode::kNotModified);
  EXPECT_EQ(testing::ErrorOf(client_.DeleteBucket("bkt", {.preconditions = {.if_metageneration_match = 7}})).code,
            ErrorCode::kPreconditionFailed);
}

TEST_F(OperationsTest, OptionsOfOtherOperationsAreRefused) {
  const auto key = *EncryptionKey::FromBytes(AsBytes(std::string(32, 'k')));
  const Preconditions of_generation{.if_generation_match = 1};
  const Preconditions unlike{.if_generation_not_match = 1};
  const std::pair<const char*, Error> refusals[] = {
      {"location", testing::ErrorOf(client_.GetBucket("bkt", {.location = "EU"}))},
      {"storage_class", testing::ErrorOf(client_.GetBucket("bkt", {.storage_class = "NEARLINE"}))},
      {"soft_delete", testing::ErrorOf(client_.GetBucket("bkt", {.soft_delete_retention = std::chrono::seconds(0)}))},
      {"hierarchical", testing::ErrorOf(client_.GetBucket("bkt", {.hierarchical_namespace = true}))},
      {"only preconditions", testing::ErrorOf(client_.MoveObject(kSource, kTarget, {.source_generation = 1}))},
      {"within a bucket", testing::ErrorOf(client_.MoveObject(kSource, {"other", "target"}))},
      {"prefix", testing::ErrorOf(client_.InsertBucket("b2b", {.prefix = "b"}))},
      {"preconditions", testing::ErrorOf(client_.ListBuckets({.preconditions = {.if_metageneration_match = 1}}))},
      {"generation", testing::ErrorOf(client_.DeleteBucket("bkt", {.preconditions = of_generation}))},
      {"encryption_key", testing::ErrorOf(client_.PatchObject(kSource, {}, {.encryption_key = key}))},
      {"encryption_key", testing::ErrorOf(client_.UpdateObject(kSource, {}, {.encryption_key = key}))},
      {"encryption_key", testing::ErrorOf(client_.DeleteObject(kSource, {.encryption_key = key}))},
      {"not_match", testing::ErrorOf(client_.ComposeObjects({{"source"}}, kTarget, {.preconditions = unlike}))},
      {"rewrite_token", testing::ErrorOf(client_.CopyObject(kSource, kTarget, {.rewrite_token = "t"}))},
      {"on_progress", testing::ErrorOf(client_.CopyObject(kSource, kTarget, {.on_progress = [](const Progress&) {}}))},
  };
  for (const auto& [said, error] : refusals) {
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << said;
    EXPECT_THAT(error.message, ::testing::HasSubstr(said));
  }
  EXPECT_TRUE(client_.GetObject(kSource).ok());
  EXPECT_EQ(testing::ErrorOf(client_.GetObject(kTarget)).code, ErrorCode::kNotFound);
}

TEST_F(OperationsTest, ProjectComesFromOptionsThenTheEnvironment) {
  setenv("GOOGLE_CLOUD_PROJECT", "of-environment", 1);
  const Client by_environment = *Client::Create({.endpoint = emulator_.endpoint()});
  const Client by_option = *Client::Create({.endpoint = emulator_.endpoint(), .project = "of-options"});
  unsetenv("GOOGLE_CLOUD_PROJECT");
  ASSERT_TRUE(by_environment.ListBuckets().ok());
  ASSERT_TRUE(by_option.ListBuckets().ok());
  const auto records = RecordsOf("storage.buckets.list");
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_THAT(records[0].target, ::testing::HasSubstr("project=of-environment"));
  EXPECT_THAT(records[1].target, ::testing::HasSubstr("project=of-options"));
}

TEST_F(OperationsTest, TestIamPermissionsIsRetried) {
  FailNext("storage.buckets.testIamPermissions");
  const auto granted = client_.TestBucketPermissions("bkt", {"storage.objects.get", "storage.objects.create"});
  ASSERT_TRUE(granted.ok()) << granted.error().message;
  EXPECT_THAT(*granted, ElementsAre("storage.objects.get", "storage.objects.create"));
  EXPECT_EQ(emulator_.faults().Fired("it"), 1U);
  EXPECT_EQ(testing::ErrorOf(client_.TestBucketPermissions("none", {"storage.objects.get"})).code,
            ErrorCode::kNotFound);
}

TEST_F(OperationsTest, ProgressEndsWithTheLastByte) {
  const std::string content(3'000'000, 'c');
  std::vector<Progress> sent;
  const auto note_sent = [&](const Progress& progress) { sent.push_back(progress); };
  ASSERT_TRUE(client_.InsertObject(kTarget, AsBytes(content), {.on_progress = note_sent}).ok());
  ASSERT_GT(sent.size(), 2U);
  EXPECT_EQ(sent.back().bytes, content.size());
  EXPECT_EQ(sent.back().total, content.size());
  std::vector<Progress> read;
  const auto note_read = [&](const Progress& progress) { read.push_back(progress); };
  ASSERT_TRUE(client_.ReadObject(kTarget, {.range = ByteRange{1'000'000}, .on_progress = note_read}).ok());
  ASSERT_GT(read.size(), 1U);
  EXPECT_EQ(read.back().bytes, 2'000'000U);
  EXPECT_EQ(read.back().total, 2'000'000U);
  EXPECT_TRUE(std::is_sorted(read.begin(), read.end(),
                             [](const Progress& one, const Progress& other) { return one.bytes < other.bytes; }));
}

TEST_F(OperationsTest, ThrowingProgressCallbackEndsItsCall) {
  const ProgressCallback throws = [](const Progress&) { throw std::runtime_error("no room on the screen"); };
  EXPECT_TRUE(testing::FailsWith(client_.InsertObject(kTarget, AsBytes("bytes"), {.on_progress = throws}),
                                 ErrorCode::kLocalIo, ::testing::HasSubstr("no room on the screen")));
  ASSERT_TRUE(client_.InsertObject(kTarget, AsBytes("bytes")).ok());
  EXPECT_TRUE(testing::FailsWith(client_.ReadObject(kTarget, {.on_progress = throws}), ErrorCode::kLocalIo,
                                 ::testing::HasSubstr("no room on the screen")));
}

}  // namespace
}  // namespace gcsflux
