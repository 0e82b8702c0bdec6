// UploadFile under transient faults, at each of its steps, in a new and in a resumed upload: it succeeds, the fault has
// fired, the object is made exactly once, and nothing temporary is left.
#include <string>
#include <utility>

#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "support/fault_matrix.h"
#include "support/result.h"
#include "support/test_directory.h"
#include "support/upload_case.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using testing::LostAnswer;
using testing::LostAnswers;

constexpr std::uint64_t kLargePart = 16U << 20;
// One of each kind: stream_fault_matrix_test.cc has every status.
const testing::NamedFaults kFailures = {{"status 429", {.type = "status", .status = 429}},
                                        {"status 503", {.type = "status", .status = 503}},
                                        {"reset", {.type = "reset"}}};
const ObjectName kNew{"my-bucket", "new"};

class ResumableFileFaultsTest : public testing::FaultMatrix {
 protected:
  static const std::string& Bytes() {
    static const std::string bytes = testing::Pattern(2 * kLargePart + 3);
    return bytes;
  }
  [[nodiscard]] Result<UploadReport> Upload(WriteMode mode) {
    options_.mode = mode;
    options_.max_concurrency = 2;
    options_.save_state = [this](const std::string& state) { state_ = state; };
    options_.state = std::exchange(state_, {});
    return UploadFile(*client_, path_, kNew, options_);
  }
  void ExpectStored(WriteMode mode) {
    const auto stored = Upload(mode);
    EXPECT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
    EXPECT_EQ(state_, "");
    ExpectStoredOnce("new", Bytes());
    EXPECT_TRUE(ListPrefix(*client_, {"my-bucket", "gcsflux-uploads/"})->objects.empty());
  }
  [[nodiscard]] std::size_t Uploads() const { return ListMultipartUploads(*client_, {"my-bucket", ""})->size(); }

  testing::TestDirectory directory_;
  const std::string path_ = directory_.Write("file", Bytes());
  UploadOptions options_;
  std::string state_;
};

TEST_F(ResumableFileFaultsTest, NewUploadSurvives) {
  const testing::NamedFaults broken = {{"fails", {.type = "failUpload", .status = 503, .after_bytes = kLargePart / 2}}};
  for (const auto& [phase, faults] :
       {std::pair{"initiate", kFailures}, std::pair{"part", kFailures + LostAnswer() + broken},
        std::pair{"complete", kFailures + LostAnswers()}}) {
    SCOPED_TRACE(phase);
    ForEach(faults, {.phase = phase}, [&] {
      ExpectStored(WriteMode::kCreate);
      EXPECT_EQ(Uploads(), 0U);
    });
  }
  ForEach(kFailures + LostAnswers(), {.operation = "storage.objects.compose"},
          [&] { ExpectStored(WriteMode::kOverwrite); });
}

// One part was sent before.
TEST_F(ResumableFileFaultsTest, ResumedUploadSurvives) {
  const auto continue_it = [&] {
    std::stop_source stop;
    options_.stop = stop.get_token();
    options_.on_progress = [&](const Progress&) { stop.request_stop(); };
    const auto stopped = Upload(WriteMode::kOverwrite);
    EXPECT_FALSE(stopped.ok());
    options_.stop = {};
    options_.on_progress = {};
    ExpectStored(WriteMode::kOverwrite);
    EXPECT_EQ(Uploads(), 0U);
  };
  ForEach(kFailures + LostAnswers(), {.operation = "storage.multipartUploads.listParts"}, continue_it);
  ForEach(kFailures + LostAnswers(), {.phase = "complete"}, continue_it);
}

}  // namespace
}  // namespace gcsflux
