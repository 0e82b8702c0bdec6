// A process that is killed while it overwrites an object: the name shows one whole content, and the leftovers are
// removed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "support/killed_child.h"
#include "support/result.h"
#include "support/upload_case.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux {
namespace {

using std::chrono::hours;

using testing::kObject;
using testing::kPart;

class KilledWriterTest : public ::testing::Test {
 protected:
  // In a child: overwrites the object, and ends.
  [[noreturn]] void Overwrite() const {
    const UploadOptions options{.part_bytes = kPart, .part_memory_bytes = 2 * kPart, .max_concurrency = 2};
    ObjectWriter writer(client_, kObject, options);
    const bool is_stored = writer.Write(AsBytes(new_)).ok() && writer.Close().ok();
    ::_exit(is_stored ? 0 : 1);
  }

  [[nodiscard]] bool IsBucketAsBefore() const {
    const auto objects = ListPrefix(client_, {"bkt", ""});
    const auto uploads = ListMultipartUploads(client_, {"bkt", ""});
    return objects && uploads && objects->objects.size() == 1 && uploads->empty();
  }

  const std::string old_ = std::string(100, 'o');
  const std::string new_ = std::string(3 * kPart + 3, 'n');
  emulator::Emulator emulator_;
  const Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

// It is interrupted after parts and before a commit.
TEST_F(KilledWriterTest, LeavesNothingIfTheSignalIsHandled) {
  ASSERT_TRUE(client_.InsertBucket("bkt"));
  ASSERT_TRUE(client_.InsertObject(kObject, AsBytes(old_)).ok());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGINT, SIG_DFL);  // A shell's background jobs start with it ignored.
    if (!InstallCompositeCleanup()) ::_exit(2);
    ObjectWriter writer(client_, kObject, {.part_bytes = kPart});
    if (!writer.Write(AsBytes(new_))) ::_exit(1);
    while (true) ::pause();
  }
  const auto has_parts = [&] {
    const auto records = emulator_.journal();
    return std::ranges::count_if(records, [](const auto& record) { return record.phase == "part"; }) >= 3;
  };
  while (!has_parts()) std::this_thread::yield();
  ::kill(child, SIGINT);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_TRUE(IsBucketAsBefore());
  EXPECT_EQ(*client_.ReadObject(kObject), old_);
}

TEST_F(KilledWriterTest, LeavesAWholeObjectAndRemovableParts) {
  constexpr unsigned kMostRequests = 10;  // Of an overwrite of four parts.
  int killed = 0;
  int kept = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    emulator_.Reset();
    ASSERT_TRUE(client_.InsertBucket("bkt"));
    ASSERT_TRUE(client_.InsertObject(kObject, AsBytes(old_)).ok());
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) Overwrite();
    killed += testing::KillAfter(child, emulator_, 1 + random() % kMostRequests) ? 1 : 0;
    const auto stored = client_.ReadObject(kObject);
    ASSERT_TRUE(stored.ok()) << testing::ErrorOf(stored).message;
    EXPECT_TRUE(*stored == old_ || *stored == new_) << stored->size() << " bytes";
    kept += *stored == old_ ? 1 : 0;
    // The service may still carry out the child's last request.
    do {
      ASSERT_TRUE(CleanComposites(client_, "bkt", {.older_than = -hours(1)}).ok());
    } while (!IsBucketAsBefore());
  }
  EXPECT_GE(killed, 5);
  EXPECT_GE(kept, 3);
}

}  // namespace
}  // namespace gcsflux
