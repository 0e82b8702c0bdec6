// Composites belong to the process that made them: neither a child's end nor its signals touch them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "fork/fork_fixture.h"
#include "gcsflux/download.h"

namespace gcsflux {
namespace {

using testing::Child;
using testing::Failure;
using testing::InChild;

class ForkCompositesTest : public testing::ForkTest {
 protected:
  void SetUp() override {
    // A composite exists for at least a second: the service refuses to delete it sooner.
    Start(/*is_tls=*/false, {"--object_mutations_per_second=1", "--quota_depth_ms=1000"});
    Put(64, 2'000);
  }

  [[nodiscard]] Downloader MakeDownloader() const {
    return Downloader(*Client::Create(Options()), {.max_concurrency = 4, .composition = CompositionMode::kOn});
  }

  // "" or an error.
  [[nodiscard]] std::string Compose(const Downloader& downloader) const {
    if (const auto batch = downloader.Download(Sources()); !batch) return Failure(batch);
    return downloader.composition_report().composites > 0 ? "" : "nothing was composed";
  }
};

TEST_F(ForkCompositesTest, ChildDeletesOnlyItsOwnComposites) {
  if (const std::string why = testing::WhyNoThreadsInChildren(); !why.empty()) GTEST_SKIP() << why;
  std::optional<Downloader> downloader = MakeDownloader();
  ASSERT_EQ(Compose(*downloader), "");
  const std::size_t deletes = CountIn("journal", "\"storage.objects.delete\"");
  EXPECT_EQ(InChild([&] {
              downloader.reset();
              return std::string();
            }),
            "");
  EXPECT_EQ(InChild([&] {
              if (downloader->composition_report().composites != 0) return std::string("a report of the parent's");
              auto failure = Compose(*downloader);
              downloader.reset();  // Waits until its own are deleted.
              return failure;
            }),
            "");
  EXPECT_GT(CountIn("journal", "\"storage.objects.delete\""), deletes);
  EXPECT_EQ(Compose(*downloader), "");
  downloader.reset();
  const auto left = Client::Create(Options())->ListObjects({kBucket, "dataflux-composed-objects/"});
  ASSERT_TRUE(left.ok());
  EXPECT_TRUE(left->objects.empty());
}

// In a separate process: it installs handlers for the whole process.
TEST_F(ForkCompositesTest, SignalToAChildEndsOnlyTheChild) {
  EXPECT_EQ(InChild([&]() -> std::string {
              if (auto installed = InstallCompositeCleanup(); !installed) return Failure(installed);
              const Downloader downloader = MakeDownloader();
              if (auto failure = Compose(downloader); !failure.empty()) return failure;
              std::array<int, 2> ends{};
              if (pipe(ends.data()) != 0) return "no pipe";
              Child child([&]() -> std::string {
                char byte = 0;
                if (write(ends[1], &byte, 1) != 1) return "no pipe";
                while (true) pause();
              });
              char byte = 0;
              if (read(ends[0], &byte, 1) != 1) return "no pipe";
              kill(child.pid(), SIGTERM);
              if (const int signal = child.WaitForSignal(); signal != SIGTERM) return "the child did not end";
              // The parent would have ended within this time, or refuse to compose.
              return Compose(downloader);
            }),
            "");
}

TEST_F(ForkCompositesTest, ChildInstallsItsOwnCleanup) {
  if (const std::string why = testing::WhyNoThreadsInChildren(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(InChild([&]() -> std::string {
              if (auto installed = InstallCompositeCleanup(); !installed) return Failure(installed);
              Child child([&]() -> std::string {
                if (auto installed = InstallCompositeCleanup(); !installed) return Failure(installed);
                const Downloader downloader = MakeDownloader();
                if (auto failure = Compose(downloader); !failure.empty()) return failure;
                kill(getpid(), SIGTERM);
                while (true) pause();
              });
              return child.WaitForSignal() == SIGTERM ? "" : "the child did not end by its signal";
            }),
            "");
  const auto left = Client::Create(Options())->ListObjects({kBucket, "dataflux-composed-objects/"});
  ASSERT_TRUE(left.ok());
  EXPECT_TRUE(left->objects.empty());
}

}  // namespace
}  // namespace gcsflux
