// EventWriter over a bucket in memory, and on a local disk.
#include "gcsflux/event_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "formats/events/event_messages.h"
#include "formats/events/run_record.h"
#include "gcsflux/dataset.h"
#include "support/fails_with.h"
#include "support/fake_gcs.h"
#include "support/test_directory.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeGcs;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Scalar = std::tuple<std::string, std::int64_t, float>;

void AddScalars(const std::string& file, std::vector<Scalar>& scalars) {
  const auto read = internal::ReadScalars(file, "file", [&](const internal::EventHead& head, float value) {
    scalars.emplace_back(head.tag, head.step, value);
  });
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, file.size());
}

class EventWriterTest : public ::testing::Test {
 protected:
  // The first flush, of the record, is done.
  EventWriter Open(EventWriterOptions options = {}) {
    auto writer = EventWriter::Open(client_, "gs://bkt/runs/7", std::move(options));
    EXPECT_TRUE(writer.ok()) << writer.error().message;
    EXPECT_TRUE(writer->Flush().ok());
    return *std::move(writer);
  }
  // Tells `failures_`.
  EventWriterOptions Listening() {
    return {.on_failure = [this](const Error& error) { failures_.push_back(error.message); }};
  }
  [[nodiscard]] std::vector<std::string> EventFiles() const {
    std::vector<std::string> names;
    for (const auto& [name, object] : gcs_.objects) {
      if (name.starts_with("runs/7/events.out.tfevents.")) names.push_back(name);
    }
    return names;
  }
  // Of all files, in their order.
  [[nodiscard]] std::vector<Scalar> StoredScalars() const {
    std::vector<Scalar> scalars;
    for (const std::string& name : EventFiles()) AddScalars(gcs_.objects.at(name).bytes, scalars);
    return scalars;
  }
  [[nodiscard]] internal::RunRecord StoredRecord() const {
    return *internal::ParseRunRecord(gcs_.objects.at("runs/7/run.json").bytes, "run.json");
  }

  FakeGcs gcs_;
  Client client_ = testing::MakeClient(gcs_, {.max_attempts = 1});
  std::vector<std::string> failures_;
};

TEST_F(EventWriterTest, MakesEventsVisibleAtEachFlush) {
  EventWriter writer = Open();
  writer.AddScalar("loss", 2, 1);
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_THAT(StoredScalars(), ElementsAre(Scalar("loss", 1, 2.0F)));
  writer.AddScalar("loss", 1, 2);
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_THAT(StoredScalars(), ElementsAre(Scalar("loss", 1, 2.0F), Scalar("loss", 2, 1.0F)));
  EXPECT_THAT(EventFiles(), SizeIs(1));
  EXPECT_TRUE(writer.Close().ok());
}

TEST_F(EventWriterTest, FlushesByItself) {
  EventWriter writer = Open({.flush_interval = std::chrono::milliseconds(1)});
  std::atomic<int> requests = 0;
  gcs_.on_request = [&] { ++requests; };
  writer.AddScalar("loss", 2, 1);
  while (requests < 2) std::this_thread::yield();  // The events, and the record.
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_THAT(StoredScalars(), SizeIs(1));
}

TEST_F(EventWriterTest, BeginsAnotherObjectWhenOneIsLarge) {
  EventWriter writer = Open();
  for (int i = 0; i < 3; ++i) {
    writer.AddText("note", std::string(700'000, 'x'), i);
    writer.AddScalar("loss", i, i);
    ASSERT_TRUE(writer.Flush().ok());
  }
  EXPECT_THAT(EventFiles(), SizeIs(2));
  EXPECT_THAT(StoredScalars(), ElementsAre(Scalar("loss", 0, 0.0F), Scalar("loss", 1, 1.0F), Scalar("loss", 2, 2.0F)));
}

TEST_F(EventWriterTest, MakesAnObjectForEachFlushWhereNoneMayBeReplaced) {
  EventWriter writer = Open();
  writer.AddScalar("loss", 0, 0);
  ASSERT_TRUE(writer.Flush().ok());
  gcs_.faults = {{.status = 403}};
  for (int i = 1; i < 4; ++i) {
    writer.AddScalar("loss", i, i);
    ASSERT_TRUE(writer.Flush().ok());
  }
  EXPECT_TRUE(gcs_.faults.empty());
  EXPECT_THAT(EventFiles(), SizeIs(4));
  EXPECT_THAT(StoredScalars(), SizeIs(4));
  EXPECT_TRUE(writer.Close().ok());
}

TEST_F(EventWriterTest, NeverReplacesAnObjectOfAnotherWriter) {
  EventWriter writer = Open();
  writer.AddScalar("loss", 0, 0);
  ASSERT_TRUE(writer.Flush().ok());
  const std::string first = EventFiles().front();
  gcs_.Put(first, "another writer's");
  writer.AddScalar("loss", 1, 1);
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_EQ(gcs_.objects.at(first).bytes, "another writer's");
  EXPECT_THAT(EventFiles(), SizeIs(2));
}

TEST_F(EventWriterTest, KeepsWhatCouldNotBeStoredAndTellsOnce) {
  EventWriter writer = Open(Listening());
  gcs_.faults = {{.status = 403}, {.status = 403}, {.status = 503}};
  for (int i = 0; i < 3; ++i) {
    writer.AddScalar("loss", i, i);
    EXPECT_FALSE(writer.Flush().ok());
  }
  EXPECT_TRUE(gcs_.faults.empty());
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("403")));
  EXPECT_TRUE(writer.Close().ok());
  EXPECT_THAT(StoredScalars(), ElementsAre(Scalar("loss", 0, 0.0F), Scalar("loss", 1, 1.0F), Scalar("loss", 2, 2.0F)));
  EXPECT_THAT(failures_, SizeIs(1));
}

TEST_F(EventWriterTest, SurvivesALostAnswer) {
  EventWriter writer = Open();
  writer.AddScalar("loss", 0, 0);
  ASSERT_TRUE(writer.Flush().ok());
  gcs_.faults = {{.after = Error{ErrorCode::kUnavailable, "the connection broke"}}};
  writer.AddScalar("loss", 1, 1);
  static_cast<void>(writer.Flush().ok());
  EXPECT_TRUE(gcs_.faults.empty());
  EXPECT_TRUE(writer.Close().ok());
  const auto scalars = StoredScalars();  // The last one may be there twice.
  ASSERT_GE(scalars.size(), 2U);
  EXPECT_EQ(scalars[0], Scalar("loss", 0, 0.0F));
  EXPECT_EQ(scalars[1], Scalar("loss", 1, 1.0F));
}

TEST_F(EventWriterTest, CloseSaysHowManyEventsAreLost) {
  EventWriterOptions options = Listening();
  options.max_pending_bytes = 1000;
  EventWriter writer = Open(std::move(options));
  gcs_.faults.assign(10, {.status = 403});
  writer.AddScalar("loss", 1, 1);
  EXPECT_FALSE(writer.Flush().ok());
  for (int i = 0; i < 100; ++i) writer.AddScalar("loss", i, i);
  const auto closed = writer.Close();
  EXPECT_TRUE(FailsWith(closed, ErrorCode::kPermissionDenied,
                        AllOf(HasSubstr("gs://bkt/runs/7: 101 events are not stored"), HasSubstr("403"))));
  EXPECT_TRUE(FailsWith(writer.Close(), ErrorCode::kPermissionDenied, closed.error().message));
  EXPECT_THAT(failures_, SizeIs(1));
}

TEST_F(EventWriterTest, DropsWhatDoesNotFitIntoItsMemory) {
  EventWriter writer = Open({.max_pending_bytes = 100'000});
  writer.AddText("note", std::string(200'000, 'x'), 1);
  writer.AddScalar("loss", 1, 1);
  EXPECT_TRUE(FailsWith(writer.Close(), ErrorCode::kUnavailable,
                        AllOf(HasSubstr("1 event is not stored"), HasSubstr("max_pending_bytes"))));
  EXPECT_THAT(StoredScalars(), SizeIs(1));
  EXPECT_EQ(StoredRecord().dropped, 1U);
}

TEST_F(EventWriterTest, AFullMemoryIsFlushedAtOnce) {
  EventWriter writer = Open({.flush_interval = std::chrono::hours(1), .max_pending_bytes = 100'000});
  std::atomic<bool> is_stored = false;
  gcs_.on_request = [&] { is_stored = true; };
  writer.AddText("note", std::string(60'000, 'x'), 1);
  while (!is_stored) std::this_thread::yield();
  EXPECT_TRUE(writer.Close().ok());
}

TEST_F(EventWriterTest, ItsRecordHasParametersMetricsAndReports) {
  EventWriter writer = Open({.parameters = {{"rate", "0.1"}}, .revision = "abc"});
  EXPECT_EQ(StoredRecord().state, "running");
  for (const double loss : {3.0, 1.0, 2.0}) writer.AddScalar("loss", loss, 9);
  writer.SetReport({.samples = 42});
  ASSERT_TRUE(writer.Close().ok());
  const internal::RunRecord record = StoredRecord();
  EXPECT_EQ(record.state, "finished");
  EXPECT_EQ(record.revision, "abc");
  EXPECT_EQ(record.parameters.at("rate"), "0.1");
  EXPECT_EQ(record.metrics.at("loss").last, 2);
  EXPECT_EQ(record.metrics.at("loss").least, 1);
  EXPECT_EQ(record.metrics.at("loss").most, 3);
  EXPECT_EQ(record.metrics.at("loss").count, 3U);
  EXPECT_EQ(record.events, 3U);
  EXPECT_EQ(record.dataset.at("samples"), 42);
  EXPECT_GE(record.client.at("requests"), 2);
  EXPECT_FALSE(record.environment.at("host").empty());
}

TEST_F(EventWriterTest, ItsDestructorStoresWhatIsLeft) {
  {
    EventWriter writer = Open();
    writer.AddScalar("loss", 1, 1);
  }
  EXPECT_THAT(StoredScalars(), SizeIs(1));
  EXPECT_EQ(StoredRecord().state, "interrupted");
}

TEST_F(EventWriterTest, ItsDestructorTellsAFailure) {
  {
    EventWriter writer = Open(Listening());
    gcs_.faults.assign(4, {.status = 403});
    writer.AddScalar("loss", 1, 1);
  }
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("403")));
}

TEST_F(EventWriterTest, AnExceptionOfItsListenerEndsNothing) {
  EventWriter writer = Open({.on_failure = [](const Error&) { throw std::runtime_error("no"); }});
  gcs_.faults = {{.status = 403}};
  writer.AddScalar("loss", 1, 1);
  EXPECT_FALSE(writer.Flush().ok());
  EXPECT_TRUE(writer.Close().ok());
}

TEST_F(EventWriterTest, StoresNumbersThatAreNotFinite) {
  EventWriter writer = Open();
  writer.AddScalar("x", std::numeric_limits<double>::quiet_NaN(), 1);
  writer.AddScalar("x", INFINITY, 2);
  writer.AddScalar("x", -1e300, 1);  // Steps may go back.
  ASSERT_TRUE(writer.Close().ok());
  const auto scalars = StoredScalars();
  ASSERT_EQ(scalars.size(), 3U);
  EXPECT_TRUE(std::isnan(std::get<2>(scalars[0])));
  EXPECT_EQ(scalars[1], Scalar("x", 2, INFINITY));
  EXPECT_EQ(scalars[2], Scalar("x", 1, -INFINITY));
}

TEST_F(EventWriterTest, TagsBecomeTextThatTensorBoardShows) {
  EventWriter writer = Open();
  for (const std::string& tag : {std::string("a\nb\x7F"), std::string("ä\xFF"), std::string(), std::string("größe"),
                                 std::string(511, 'x') + "ä"}) {
    writer.AddScalar(tag, 1, 1);
  }
  ASSERT_TRUE(writer.Close().ok());
  std::vector<std::string> tags;
  for (const auto& scalar : StoredScalars()) tags.push_back(std::get<0>(scalar));
  EXPECT_THAT(tags, ElementsAre("a_b_", "___", "_", "größe", std::string(511, 'x')));
}

TEST_F(EventWriterTest, RefusesImagesOfOtherSizes) {
  EventWriter writer = Open();
  const std::vector<std::uint8_t> pixels(12);
  writer.AddImage("fits", {.pixels = pixels, .height = 2, .width = 2, .channels = 3}, 1);
  writer.AddImage("none", {.pixels = pixels, .height = 2, .width = 2, .channels = 4}, 1);
  writer.AddImage("none", {.pixels = pixels, .height = 12, .width = 0, .channels = 1}, 1);
  writer.AddImage("none", {.pixels = pixels, .height = 0xFFFFFFFF, .width = 0xFFFFFFFF, .channels = 4}, 1);
  writer.AddImage("none", {.pixels = pixels, .height = 1, .width = 1, .channels = 12}, 1);
  EXPECT_TRUE(FailsWith(writer.Close(), ErrorCode::kInvalidArgument,
                        AllOf(HasSubstr("4 events are not stored"), HasSubstr("no image of 4 x 2 x 2"))));
}

TEST_F(EventWriterTest, RefusesWrongArguments) {
  EXPECT_TRUE(FailsWith(EventWriter::Open(client_, ""), ErrorCode::kInvalidArgument));
  EXPECT_TRUE(FailsWith(EventWriter::Open(client_, "gs://B"), ErrorCode::kInvalidArgument));
  EXPECT_TRUE(FailsWith(EventWriter::Open(client_, "gs://bkt/a\nb"), ErrorCode::kInvalidArgument));
  EXPECT_TRUE(FailsWith(EventWriter::Open(client_, "gs://bkt", {.flush_interval = {}}), ErrorCode::kInvalidArgument));
}

TEST_F(EventWriterTest, AfterCloseNothingIsAdded) {
  EventWriter writer = Open();
  ASSERT_TRUE(writer.Close().ok());
  writer.AddScalar("loss", 1, 1);
  EXPECT_TRUE(writer.Close().ok());
  EXPECT_TRUE(writer.Flush().ok());
  EXPECT_THAT(StoredScalars(), SizeIs(0));
}

TEST_F(EventWriterTest, OneThatWasMovedFromSaysSo) {
  EventWriter writer = Open();
  EventWriter other = std::move(writer);
  writer.AddScalar("loss", 1, 1);  // NOLINT(bugprone-use-after-move): that is the test
  EXPECT_TRUE(FailsWith(writer.Flush(), ErrorCode::kInvalidArgument, HasSubstr("moved from")));
  EXPECT_TRUE(FailsWith(writer.Close(), ErrorCode::kInvalidArgument, HasSubstr("moved from")));
  EXPECT_TRUE(other.Close().ok());
}

TEST_F(EventWriterTest, ManyThreadsAdd) {
  EventWriter writer = Open();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) writer.AddScalar("loss", i, i);
      });
    }
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(writer.Flush().ok());
  }
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_THAT(StoredScalars(), SizeIs(800));
}

class LocalEventWriterTest : public EventWriterTest {
 protected:
  [[nodiscard]] std::string Directory() const { return directory_.path() / "runs" / "7"; }
  EventWriter OpenLocal(EventWriterOptions options = {}) const {
    auto writer = EventWriter::Open(client_, Directory(), std::move(options));
    EXPECT_TRUE(writer.ok()) << writer.error().message;
    return *std::move(writer);
  }
  [[nodiscard]] std::vector<Scalar> LocalScalars() const {
    std::vector<Scalar> scalars;
    for (const auto& entry : std::filesystem::directory_iterator(Directory())) {
      if (entry.path().filename().string().find("tfevents") == std::string::npos) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      AddScalars({std::istreambuf_iterator<char>(file), {}}, scalars);
    }
    return scalars;
  }
  testing::TestDirectory directory_;
};

// No file of this process can grow beyond it.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(LocalEventWriterTest, AppendsToOneFile) {
  EventWriter writer = OpenLocal(Listening());
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_TRUE(std::filesystem::exists(Directory() + "/run.json"));
  for (int i = 0; i < 3; ++i) {
    writer.AddScalar("loss", i, i);
    ASSERT_TRUE(writer.Flush().ok());
    EXPECT_THAT(LocalScalars(), SizeIs(i + 1));
  }
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(Directory()), {}), 2);  // With the record.
  EXPECT_TRUE(gcs_.requests.empty());
  EXPECT_THAT(failures_, SizeIs(0));
}

TEST_F(LocalEventWriterTest, AFullDiskLeavesWholeRecordsAndIsTriedAgain) {
  EventWriter writer = OpenLocal(Listening());
  writer.AddScalar("loss", 0, 0);
  ASSERT_TRUE(writer.Flush().ok());
  {
    const FileSizeLimit limit(100'000);
    writer.AddText("note", std::string(150'000, 'x'), 1);
    writer.AddScalar("loss", 1, 1);
    EXPECT_TRUE(FailsWith(writer.Flush(), ErrorCode::kLocalIo, HasSubstr("File too large")));
    EXPECT_THAT(LocalScalars(), SizeIs(1));
  }
  EXPECT_TRUE(writer.Close().ok());
  EXPECT_THAT(LocalScalars(), ElementsAre(Scalar("loss", 0, 0.0F), Scalar("loss", 1, 1.0F)));
  EXPECT_THAT(failures_, SizeIs(1));
}

TEST_F(LocalEventWriterTest, ADirectoryThatCannotBeMadeIsToldAtClose) {
  static_cast<void>(directory_.Write("runs", "a file"));
  EventWriter writer = OpenLocal(Listening());
  writer.AddScalar("loss", 1, 1);
  EXPECT_TRUE(FailsWith(writer.Close(), ErrorCode::kLocalIo, HasSubstr("1 event is not stored")));
  EXPECT_THAT(failures_, SizeIs(1));
}

}  // namespace
}  // namespace gcsflux
