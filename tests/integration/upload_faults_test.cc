// Every way of storing bytes under every fault of an upload: early, in the middle, late, and after the commit. Uploads
// by parts are in multipart_upload_test.cc.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>

#include "gcsflux/upload.h"
#include "support/fails_with.h"
#include "support/fault_matrix.h"
#include "support/object_of.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using testing::FailuresInPlaceOfAnswer;
using testing::LostAnswer;
using testing::LostAnswers;
using testing::NamedFaults;

constexpr std::size_t kChunk = 1 << 20;
constexpr auto kInsert = "storage.objects.insert";

struct UploadWay {
  std::string name;
  std::function<Result<ObjectMetadata>(const Client&, const ObjectName&, const std::string& content, UploadOptions)>
      store;
  std::size_t chunk_bytes = kChunk;
  bool can_be_sent_again = true;  ///< All of it, over another session.
};

void PrintTo(const UploadWay& way, std::ostream* out) { *out << way.name; }

Result<ObjectMetadata> FromMemory(const Client& client, const ObjectName& object, const std::string& content,
                                  UploadOptions options) {
  return UploadObject(client, object, AsBytes(content), options);
}

Result<ObjectMetadata> FromFile(const Client& client, const ObjectName& object, const std::string& content,
                                UploadOptions options) {
  std::string path = std::filesystem::temp_directory_path() / "gcsflux-upload-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return Error{ErrorCode::kLocalIo, "no file"};
  close(file);
  std::ofstream(path) << content;
  auto stored = testing::ObjectOf(UploadFile(client, path, object, options));
  std::filesystem::remove(path);
  return stored;
}

Result<ObjectMetadata> Streamed(const Client& client, const ObjectName& object, const std::string& content,
                                UploadOptions options) {
  options.path = WritePath::kOneStream;
  ObjectWriter writer(client, object, options);
  if (const auto written = writer.Write(AsBytes(content)); !written) return written.error();
  return writer.Close();
}

// The first writer ends in the middle of a chunk; the second one continues at the service's position.
Result<ObjectMetadata> StreamedByTwo(const Client& client, const ObjectName& object, const std::string& content,
                                     UploadOptions options) {
  options.path = WritePath::kOneStream;
  ObjectWriter first(client, object, options);
  if (const auto written = first.Write(AsBytes(content.substr(0, kChunk * 3 / 2))); !written) return written.error();
  const auto state = first.Suspend();
  if (!state) return state.error();
  auto second = ObjectWriter::Resume(client, *state);
  if (!second) return second.error();
  if (const auto written = second->Write(AsBytes(content.substr(second->position()))); !written) return written.error();
  return second->Close();
}

class UploadFaultsTest : public testing::FaultMatrix, public ::testing::WithParamInterface<UploadWay> {
 protected:
  Result<ObjectMetadata> Store(WriteMode mode = WriteMode::kCreate) {
    return GetParam().store(*client_, {kBucket, "new"}, Content(),
                            {.mode = mode, .chunk_bytes = GetParam().chunk_bytes});
  }
  void ExpectStoredOnce(const Result<ObjectMetadata>& stored) {
    ASSERT_TRUE(stored.ok()) << stored.error().message;
    FaultMatrix::ExpectStoredOnce("new", Content());
  }
  void ExpectNothing(const Result<ObjectMetadata>& stored, ErrorCode code) {
    EXPECT_TRUE(testing::FailsWith(stored, code));
    ExpectNeverStored("new");
  }
};

std::string NameOfUploadWay(const ::testing::TestParamInfo<UploadWay>& way) { return way.param.name; }

using UploadInOneRequestTest = UploadFaultsTest;

TEST_P(UploadInOneRequestTest, CommitsOnce) {
  const NamedFaults broken = {
      {"fails at its first byte", {.type = "failUpload", .status = 503, .after_bytes = 1}},
      {"fails in its midst", {.type = "failUpload", .status = 503, .after_bytes = Content().size() / 2}},
      {"fails at its last byte", {.type = "failUpload", .status = 503, .after_bytes = Content().size()}}};
  for (const WriteMode mode : {WriteMode::kCreate, WriteMode::kOverwrite}) {
    ForEach(FailuresInPlaceOfAnswer() + LostAnswers() + broken, {.operation = kInsert},
            [&] { ExpectStoredOnce(Store(mode)); });
  }
}

TEST_P(UploadInOneRequestTest, DoesNotRetryASlowUpload) {
  const NamedFaults slow = {
      {"stalls at once", {.type = "stallUpload", .after_bytes = 1, .duration = milliseconds(20)}},
      {"stalls later", {.type = "stallUpload", .after_bytes = Content().size() / 2, .duration = milliseconds(20)}},
      {"stalls when all has come",
       {.type = "stallUpload", .after_bytes = Content().size(), .duration = milliseconds(20)}},
      {"answers late", {.type = "stall", .duration = milliseconds(20)}},
      {"trickles", {.type = "trickle", .bytes_per_second = 50'000'000}}};
  ForEach(slow, {.operation = kInsert}, [&] {
    ExpectStoredOnce(Store());
    EXPECT_EQ(client_->counters().retries, 0U);
  });
}

TEST_P(UploadInOneRequestTest, DoesNotCommitACorruptedUpload) {
  NamedFaults flips;
  for (const std::uint64_t at : {std::size_t{0}, Content().size() / 2, Content().size() - 1}) {
    flips.push_back({"byte " + std::to_string(at), {.type = "corruptUpload", .at_byte = at}});
  }
  ForEach(flips, {.operation = kInsert}, [&] { ExpectNothing(Store(), ErrorCode::kCorrupted); });
}

INSTANTIATE_TEST_SUITE_P(Each, UploadInOneRequestTest,
                         ::testing::Values(UploadWay{"FromMemory", FromMemory, 16 << 20},
                                           UploadWay{"FromFile", FromFile, 16 << 20}),
                         NameOfUploadWay);

using UploadSessionFaultsTest = UploadFaultsTest;

TEST_P(UploadSessionFaultsTest, CommitsOnce) {
  struct Phase {
    std::string phase;
    NamedFaults faults;
  };
  const NamedFaults broken_chunks = {
      {"fails in its midst", {.type = "failUpload", .status = 503, .after_bytes = kChunk / 2}},
      {"fails at its end", {.type = "failUpload", .status = 503, .after_bytes = kChunk}},
      {"keeps half", {.type = "shortPersist", .keep_bytes = kChunk / 2}},
      {"keeps nothing", {.type = "shortPersist", .keep_bytes = 0}},
      {"308 without Range", {.type = "omitRange"}}};
  const std::vector<Phase> phases = {{"start", FailuresInPlaceOfAnswer() + LostAnswer()},
                                     {"chunk", FailuresInPlaceOfAnswer() + LostAnswer() + broken_chunks},
                                     {"final", FailuresInPlaceOfAnswer() + LostAnswers()}};
  for (const auto& [phase, faults] : phases) {
    SCOPED_TRACE(phase);
    ForEach(faults, {.operation = kInsert, .phase = phase}, [&] { ExpectStoredOnce(Store()); });
  }
}

TEST_P(UploadSessionFaultsTest, ResendsAfterALostSessionOrLeavesNothing) {
  const NamedFaults losses = {{"404", {.type = "loseSession", .status = 404}},
                              {"410", {.type = "loseSession", .status = 410}}};
  for (const std::string phase : {"chunk", "final"}) {
    SCOPED_TRACE(phase);
    ForEach(losses, {.operation = kInsert, .phase = phase}, [&] {
      const auto stored = Store();
      if (GetParam().can_be_sent_again) return ExpectStoredOnce(stored);
      ExpectNothing(stored, ErrorCode::kSessionLost);
    });
  }
}

TEST_P(UploadSessionFaultsTest, DoesNotCommitACorruptedUpload) {
  NamedFaults flips;
  for (const std::uint64_t at : {std::size_t{0}, Content().size() / 2, Content().size() - 1}) {
    flips.push_back({"byte " + std::to_string(at), {.type = "corruptUpload", .at_byte = at}});
  }
  ForEach(flips, {.operation = kInsert}, [&] { ExpectNothing(Store(), ErrorCode::kCorrupted); });
}

INSTANTIATE_TEST_SUITE_P(Each, UploadSessionFaultsTest,
                         ::testing::Values(UploadWay{"FromMemory", FromMemory}, UploadWay{"FromFile", FromFile},
                                           UploadWay{"Streamed", Streamed, kChunk, false},
                                           UploadWay{"StreamedByTwo", StreamedByTwo, kChunk, false}),
                         NameOfUploadWay);

}  // namespace
}  // namespace gcsflux
