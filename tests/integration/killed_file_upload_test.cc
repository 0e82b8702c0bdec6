// Processes that are killed repeatedly while they send a file: the last one stores it, and each sends only bytes that
// the service lacks.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "gcsflux/download.h"
#include "support/killed_child.h"
#include "support/resumable_file_case.h"

namespace gcsflux {
namespace {

using std::chrono::hours;
using testing::kObject;

class KilledFileUploadTest : public testing::ResumableFileCase {
 protected:
  // The state is in a file, as in a program.
  [[nodiscard]] std::string State() const {
    std::ifstream in(state_path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Result<UploadReport> UploadWithStateFile() {
    options_.max_concurrency = 2;
    options_.state = State();
    options_.save_state = [this](const std::string& state) { std::ofstream(state_path_) << state << std::flush; };
    return UploadFile(client_, path_, kObject, options_);
  }
  // True if it was killed before it ended.
  bool UploadAndKillAfter(std::size_t requests) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(UploadWithStateFile().ok() ? 0 : 1);
    return testing::KillAfter(child, emulator_, requests);
  }

  const std::string state_path_ = directory_.path() / "state";
};

TEST_F(KilledFileUploadTest, StoresTheFileAndResendsLittle) {
  int killed = 0;
  int little_sent_twice = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    emulator_.Reset();
    std::ofstream(state_path_).close();
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    int kills = 0;
    while (UploadAndKillAfter(1 + random() % 7)) ASSERT_LT(++kills, 200) << "no run gets further";
    killed += kills;
    EXPECT_TRUE(*client_.ReadObject(kObject) == Content());
    // Two parts are in flight when a process is killed. After a process that is killed between its commit and the end
    // of its state, the next one sends all parts again.
    const std::size_t uploads = std::max<std::size_t>(1, Requests("complete"));
    EXPECT_LE(Requests("part"), kParts * uploads + 2 * static_cast<std::size_t>(kills));
    little_sent_twice += Requests("part") < 2 * kParts ? 1 : 0;
    EXPECT_EQ(State(), "");
    do {  // The service may still carry out the process's last request.
      ASSERT_TRUE(CleanComposites(client_, "bkt", {.older_than = -hours(1)}).ok());
    } while (!ListMultipartUploads(client_, {"bkt", ""})->empty());
    testing::ExpectNothingLeft(client_);
  }
  EXPECT_GE(killed, 8);
  EXPECT_GE(little_sent_twice, 2);
}

}  // namespace
}  // namespace gcsflux
