// Composed downloads against the emulator: the delivered objects, the leftovers, and failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/fails_with.h"
#include "support/load_fault.h"
#include "transfer/composition/composition_test.h"

namespace gcsflux {
namespace {

using ComposedDownload = testing::CompositionTest;
using namespace std::chrono_literals;

constexpr const char* kCompose = "storage.objects.compose";
constexpr const char* kDelete = "storage.objects.delete";
constexpr const char* kGet = "storage.objects.get";

TEST_F(ComposedDownload, DeliversEachObjectInOrderAndLeavesNothing) {
  const auto sources = Store({10, 0, 5000, 1, 70'000, 3});
  {
    const auto downloader = Composing();
    ExpectBatch(sources, downloader.Download(sources));
    const auto report = downloader.composition_report();
    EXPECT_GE(report.composites, 1U);
    EXPECT_EQ(report.composed_objects + report.direct_objects, sources.size());
    EXPECT_GE(report.composed_objects, 4U);
    EXPECT_EQ(report.fallbacks, 0U) << report.last_failure;
    EXPECT_TRUE(report.reasons.empty());
    EXPECT_TRUE(report.warnings.empty());
  }
  EXPECT_EQ(Composites(), 0U);
  EXPECT_EQ(Requests(kCompose), Requests(kDelete));
}

TEST_F(ComposedDownload, ComposesEmptyObjects) {
  const auto sources = Store(std::vector<std::size_t>(40, 0));
  const auto downloader = Composing();
  ExpectBatch(sources, downloader.Download(sources));
  EXPECT_EQ(downloader.composition_report().composed_objects, sources.size());
}

TEST_F(ComposedDownload, ComposesObjectsUnderACustomersKey) {
  const auto key = EncryptionKey::FromBytes(AsBytes("0123456789abcdef0123456789abcdef"));
  ASSERT_TRUE(key.ok()) << key.error().message;
  std::vector<ObjectMetadata> stored;
  for (const char* name : {"a", "b", "c"}) {
    stored.push_back(*client_.InsertObject({"bkt", name}, AsBytes(name), {.encryption_key = *key}));
    contents_[{"bkt", name}] = name;
  }
  const auto sources = DownloadSources(stored);
  const Downloader downloader(client_, {.encryption_key = *key, .composition = CompositionMode::kOn});
  ExpectBatch(sources, downloader.Download(sources));
  EXPECT_GE(downloader.composition_report().composed_objects, 2U);
}

TEST_F(ComposedDownload, DoesNotComposeByDefault) {
  const auto sources = Store({10, 20, 30, 40, 50});
  const Downloader downloader(client_);
  ExpectBatch(sources, downloader.Download(sources));
  EXPECT_EQ(Requests(kCompose), 0U);
  EXPECT_EQ(downloader.composition_report().composites, 0U);
}

TEST_F(ComposedDownload, ReadsLargeObjectsDirectly) {
  const auto sources = Store({10, 2000, 20, 30, 2000});
  const auto downloader = Composing(CompositionMode::kOn, /*delivers_failures=*/false, 1000);
  ExpectBatch(sources, downloader.Download(sources));
  EXPECT_GE(downloader.composition_report().direct_objects, 3U);
  EXPECT_EQ(downloader.composition_report().composed_objects, 2U);
}

TEST_F(ComposedDownload, StreamsInOrder) {
  const auto sources = Store(std::vector<std::size_t>(100, 1000));
  {
    const auto downloader = Composing();
    auto stream = downloader.Stream(sources);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      auto object = stream.Next();
      ASSERT_TRUE(object.ok()) << object.error().message;
      ASSERT_TRUE(object->has_value());
      EXPECT_EQ((*object)->index, i);
      ExpectBytes(sources[i], (*object)->bytes);
    }
    EXPECT_GE(downloader.composition_report().composed_objects, 90U);
  }
  EXPECT_EQ(Composites(), 0U);
}

TEST_F(ComposedDownload, ContinuesAStreamAfterAFailedComposite) {
  const auto sources = Store(std::vector<std::size_t>(300, 100));
  testing::LoadFault(emulator_, "refused", {.operation = kCompose}, {.type = "status", .status = 400}, 1);
  auto stream = Composing().Stream(sources);
  for (const DownloadSource& source : sources) {
    const auto object = stream.Next();
    ASSERT_TRUE(object.ok()) << object.error().message;
    ExpectBytes(source, (*object)->bytes);
  }
  EXPECT_EQ(emulator_.faults().Fired("refused"), 1U);
}

TEST_F(ComposedDownload, ReadsTheListedGenerations) {
  const auto sources = Store({10, 10, 10, 10});
  ASSERT_TRUE(client_.InsertObject(sources[2].object, AsBytes("overwritten")).ok());
  const auto downloader = Composing(CompositionMode::kOn, /*delivers_failures=*/true);
  const auto batch = downloader.Download(sources);
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  for (const std::size_t i : {0U, 1U, 3U}) ExpectBytes(sources[i], (*batch)[i].bytes);
  ASSERT_TRUE((*batch)[2].error.has_value());
  EXPECT_EQ((*batch)[2].error->code, ErrorCode::kNotFound);
  EXPECT_NE((*batch)[2].error->message.find(ToUri(sources[2].object)), std::string::npos) << (*batch)[2].error->message;
  EXPECT_GE(downloader.composition_report().fallbacks, 2U);
}

TEST_F(ComposedDownload, NamesAMissingObject) {
  const auto sources = Store({10, 10, 10, 10});
  ASSERT_TRUE(client_.DeleteObject(sources[1].object, {.generation = sources[1].generation}).ok());
  const auto batch = Composing().Download(sources);
  ASSERT_TRUE(testing::FailsWith(batch, ErrorCode::kNotFound));
  EXPECT_NE(batch.error().message.find(ToUri(sources[1].object)), std::string::npos) << batch.error().message;
}

TEST_F(ComposedDownload, ReadsTheSourcesOfAWrongComposite) {
  auto sources = Store({10, 20});
  sources[1].crc32c = *sources[1].crc32c ^ 1U;  // A listing that lies.
  {
    const auto downloader = Composing(CompositionMode::kOn, /*delivers_failures=*/true);
    const auto batch = downloader.Download(sources);
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    ASSERT_TRUE((*batch)[1].error.has_value());
    EXPECT_EQ((*batch)[1].error->code, ErrorCode::kCorrupted);
    ExpectBytes(sources[0], (*batch)[0].bytes);
    EXPECT_EQ(downloader.composition_report().composites, 1U);
  }
  for (const auto& record : emulator_.journal()) {
    EXPECT_FALSE(record.operation == kGet && record.object.starts_with("dataflux")) << "it was read all the same";
  }
  EXPECT_EQ(Composites(), 0U);
}

TEST_F(ComposedDownload, FindsItsCompositeAfterALostAnswer) {
  const auto sources = Store(std::vector<std::size_t>(8, 500));
  testing::LoadFault(emulator_, "lost", {.operation = kCompose, .attempt = 1}, {.type = "loseAnswer"});
  {
    const auto downloader = Composing();
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_EQ(downloader.composition_report().fallbacks, 0U) << downloader.composition_report().last_failure;
  }
  EXPECT_GE(emulator_.faults().Fired("lost"), 1U);
  EXPECT_EQ(Composites(), 0U);
}

TEST_F(ComposedDownload, ReadsDirectlyIfComposingFailsAndGivesUpAtLast) {
  const auto sources = Store(std::vector<std::size_t>(64, 100));
  testing::LoadFault(emulator_, "refused", {.operation = kCompose}, {.type = "status", .status = 400});
  const auto downloader = Composing();
  ExpectBatch(sources, downloader.Download(sources));
  ExpectBatch(sources, downloader.Download(sources));
  const auto report = downloader.composition_report();
  EXPECT_EQ(report.composed_objects, 0U);
  EXPECT_GE(report.fallbacks, 3U);
  EXPECT_NE(report.reasons.at("bkt").find("3 times running"), std::string::npos) << report.reasons.at("bkt");
  EXPECT_LE(emulator_.faults().Fired("refused"), 3U + 4U) << "no more than were under way";
}

// All composes are throttled for ever. The client's policy would repeat each one for two minutes.
TEST_F(ComposedDownload, DoesNotWaitForThrottledComposesUnderKAuto) {
  const auto sources = Store(std::vector<std::size_t>(400, 100));
  emulator_.shaping().Set({.read_first_byte_ms = 10});
  testing::LoadFault(emulator_, "throttled", {.operation = kCompose}, {.type = "status", .status = 429});
  const auto downloader = Composing(CompositionMode::kAuto);
  ExpectBatch(sources, downloader.Download(sources));
  const auto report = downloader.composition_report();
  EXPECT_GE(emulator_.faults().Fired("throttled"), 1U);
  EXPECT_GE(report.fallbacks, 2U);
  EXPECT_EQ(report.direct_objects, sources.size());
  EXPECT_EQ(report.composites, 0U) << "none may have been made";
  EXPECT_TRUE(report.reasons.empty()) << "the bucket may be used when it is not throttled any more";
}

// Without a gate each compose is repeated every 2 ms: for two minutes by the client's policy.
TEST_F(ComposedDownload, RepeatsComposesOnlyForAShortTimeUnderKAuto) {
  const auto sources = Store(std::vector<std::size_t>(400, 100));
  emulator_.shaping().Set({.read_first_byte_ms = 10});
  testing::LoadFault(emulator_, "throttled", {.operation = kCompose}, {.type = "status", .status = 429});
  const RetryOptions often{.initial_delay = 2ms, .max_delay = 2ms, .jitter = 0};
  client_ =
      *Client::Create({.endpoint = emulator_.endpoint(), .retry = RetryPolicies::All(often), .pace_throttled = false});
  ExpectBatch(sources, Composing(CompositionMode::kAuto).Download(sources));
  EXPECT_GE(emulator_.faults().Fired("throttled"), 2U);
  EXPECT_LE(emulator_.faults().Fired("throttled"), 4000U);
}

// One of four composes fails, and the connections of the others become free.
TEST_F(ComposedDownload, DividesTheObjectsOfAFailedCompositeAmongFreeConnections) {
  const auto sources = Store(std::vector<std::size_t>(32, 100));
  emulator_.shaping().Set({.read_first_byte_ms = 30});
  testing::LoadFault(emulator_, "refused", {.operation = kCompose}, {.type = "status", .status = 400}, 1);
  ExpectBatch(sources, Composing().Download(sources));
  EXPECT_EQ(emulator_.faults().Fired("refused"), 1U);
  auto journal = emulator_.journal();
  std::erase_if(journal,
                [](const auto& record) { return record.operation != kGet || !record.object.starts_with("object-"); });
  EXPECT_GE(journal.size(), 2U);
  std::ptrdiff_t most = 0;
  for (const auto& read : journal) {
    most = std::max(most, std::ranges::count_if(journal, [&](const auto& other) {
                      return other.start <= read.start && read.start < other.start + other.duration;
                    }));
  }
  EXPECT_GE(most, 3) << "one, and another one if it is hedged, come one by one";
}

TEST_F(ComposedDownload, DoesNotGiveUpAfterSuccessesBetweenFailures) {
  const auto sources = Store({500, 500});
  const auto downloader = Composing();
  for (int round = 0; round < 2; ++round) {
    testing::LoadFault(emulator_, "refused", {.operation = kCompose}, {.type = "status", .status = 400}, 2);
    for (int i = 0; i < 3; ++i) ExpectBatch(sources, downloader.Download(sources));
    EXPECT_EQ(emulator_.faults().Fired("refused"), 2U);
  }
  const auto report = downloader.composition_report();
  EXPECT_TRUE(report.reasons.empty());
  EXPECT_EQ(report.fallbacks, 4 * sources.size());
  EXPECT_EQ(report.composed_objects, 2 * sources.size());
}

TEST_F(ComposedDownload, ReadsCorruptedObjectsDirectly) {
  const auto sources = Store(std::vector<std::size_t>(8, 500));
  testing::LoadFault(emulator_, "flipped", {.operation = kGet, .object_prefix = "dataflux"},
                     {.type = "corrupt", .at_byte = 700});
  {
    const auto downloader = Composing();
    ExpectBatch(sources, downloader.Download(sources));
    EXPECT_GE(downloader.composition_report().fallbacks, 2U);
  }
  EXPECT_GE(emulator_.faults().Fired("flipped"), 1U);
  EXPECT_EQ(Composites(), 0U);
}

// Faults of every kind, in both modes: the bytes are right, in order, and nothing is left.
TEST_F(ComposedDownload, SurvivesRandomFaults) {
  const auto sources = Store([this] {
    std::vector<std::size_t> sizes(300);
    for (std::size_t& size : sizes) size = random_() % 3000;
    return sizes;
  }());
  for (const std::uint32_t seed : {1U, 2U, 3U, std::random_device()()}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto rule = [](const char* operation, emulator::FaultAction action) {
      return emulator::FaultRule{.match = {.operation = operation, .probability = 0.1}, .action = std::move(action)};
    };
    // In an object's own bytes that is an error if it happens twice.
    auto corrupted = rule(kGet, {.type = "corrupt", .at_byte = 900});
    corrupted.match.object_prefix = "dataflux";
    emulator_.faults().Load(
        {.seed = seed,
         .rules = {rule(kCompose, {.type = "status", .status = 503}), rule(kCompose, {.type = "loseAnswer"}),
                   rule(kCompose, {.type = "status", .status = 429}), rule(kDelete, {.type = "loseAnswer"}),
                   rule(kDelete, {.type = "status", .status = 503}), rule(kGet, {.type = "cut", .after_bytes = 700}),
                   corrupted, rule(kGet, {.type = "status", .status = 503})}});
    for (const auto mode : {CompositionMode::kOn, CompositionMode::kAuto}) {
      const auto downloader = Composing(mode);
      auto stream = downloader.Stream(sources);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        auto object = stream.Next();
        ASSERT_TRUE(object.ok()) << object.error().message;
        ASSERT_EQ((*object)->index, i);
        ExpectBytes(sources[i], (*object)->bytes);
      }
    }
    EXPECT_FALSE(emulator_.faults().Schedule().empty());
    emulator_.faults().Clear();
    EXPECT_EQ(Composites(), 0U);
  }
}

TEST_F(ComposedDownload, WaitsUntilCompositesMayBeDeleted) {
  const auto sources = Store(std::vector<std::size_t>(8, 500));
  emulator_.quotas().Set({.object_mutations_per_second = 1});
  {
    const auto downloader = Composing();
    ExpectBatch(sources, downloader.Download(sources));
  }
  EXPECT_GE(emulator_.quotas().counters().refused_object_mutations, 1U);
  EXPECT_EQ(Composites(), 0U);
}

TEST_F(ComposedDownload, RetriesDeletions) {
  const auto sources = Store(std::vector<std::size_t>(8, 500));
  testing::LoadFault(emulator_, "unavailable", {.operation = kDelete}, {.type = "status", .status = 503}, 3);
  {
    const auto downloader = Composing();
    ExpectBatch(sources, downloader.Download(sources));
  }
  EXPECT_EQ(emulator_.faults().Fired("unavailable"), 3U);
  EXPECT_EQ(Composites(), 0U);
}

// A compose whose answer is lost may take effect after the first read-back.
TEST_F(ComposedDownload, ChecksAgainForALateComposite) {
  const auto sources = Store({500, 500});
  const RetryOptions once{.max_attempts = 1};
  const auto client =
      Client::Create({.endpoint = emulator_.endpoint(), .project = "p", .retry = RetryPolicies::All(once)});
  ASSERT_TRUE(client.ok()) << client.error().message;
  emulator_.faults().Load(
      {.rules = {{.name = "lost", .match = {.operation = kCompose}, .action = {.type = "loseAnswer"}},
                 {.name = "not yet there",
                  .match = {.operation = kDelete},
                  .action = {.type = "status", .status = 404},
                  .limits = {.count = 1}}}});
  {
    const Downloader downloader(*client, {.max_concurrency = 4, .composition = CompositionMode::kOn});
    ExpectBatch(sources, downloader.Download(sources));
  }
  EXPECT_EQ(emulator_.faults().Fired("lost"), 1U);
  EXPECT_EQ(emulator_.faults().Fired("not yet there"), 1U);
  EXPECT_EQ(Composites(), 0U);
}

TEST_F(ComposedDownload, ReportsCompositesThatItCouldNotDelete) {
  const auto sources = Store({500, 500});
  testing::LoadFault(emulator_, "refused", {.operation = kDelete}, {.type = "status", .status = 403});
  {
    const auto downloader = Composing();
    ExpectBatch(sources, downloader.Download(sources));
    while (downloader.composition_report().last_failure.empty()) std::this_thread::yield();
    EXPECT_EQ(downloader.composition_report().deleted, 0U);
  }
  EXPECT_EQ(Composites(), 1U);
  emulator_.faults().Clear();
  const auto cleaned = CleanComposites(client_, "bkt", {.older_than = -1h});
  ASSERT_TRUE(cleaned.ok()) << cleaned.error().message;
  EXPECT_EQ(cleaned->deleted, 1U);
  EXPECT_EQ(Composites(), 0U);
}

// In both stalls: of composes, and of reads of composites.
TEST_F(ComposedDownload, ReturnsAtOnceWhenCancelledAndLeavesNothing) {
  const auto sources = Store(std::vector<std::size_t>(8, 500));
  const std::vector<emulator::FaultMatch> stalled = {{.operation = kCompose}, {.operation = kGet, .covers_byte = 0}};
  for (const emulator::FaultMatch& match : stalled) {
    SCOPED_TRACE(*match.operation);
    emulator_.faults().Load(
        {.rules = {{.name = "stall", .match = match, .action = {.type = "stall", .duration = 1h}}}});
    {
      const auto downloader = Composing();
      std::stop_source stop;
      std::jthread canceller([&] {
        while (emulator_.faults().Fired("stall") == 0) std::this_thread::yield();
        stop.request_stop();
      });
      EXPECT_TRUE(testing::FailsWith(downloader.Download(sources, stop.get_token()), ErrorCode::kCancelled));
    }
    EXPECT_EQ(Composites(), 0U);
  }
}

TEST_F(ComposedDownload, LimitsRequestsInFlight) {
  const auto sources = Store(std::vector<std::size_t>(200, 100));
  const std::size_t before = emulator_.journal().size();
  { ExpectBatch(sources, Composing().Download(sources)); }
  auto journal = emulator_.journal();
  journal.erase(journal.begin(), journal.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_LE(emulator::FindMostInFlight(journal).requests, 4U);
}

}  // namespace
}  // namespace gcsflux
