// The memory that uploads and a read add to this process, for objects of any size. The emulator, which holds the
// object, is a separate process.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gcsflux/upload.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;

std::uint64_t PeakMemoryBytes() { return testing::MemoryFigure(getpid(), "VmHWM"); }

TEST(ObjectWriter, BuffersOneChunkOfATwoGibibyteStream) {
  const testing::EmulatorProcess emulator;
  const auto client = Client::Create({.endpoint = emulator.endpoint()});
  ASSERT_TRUE(client->InsertBucket("bkt").ok());
  std::vector<std::byte> block(kMiB);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>(i * 7);
  testing::ResetPeakMemory(getpid());
  const std::uint64_t before = PeakMemoryBytes();
  ASSERT_GT(before, 0U);

  ObjectWriter writer(*client, {"bkt", "stream"}, {.path = WritePath::kOneStream});
  for (int i = 0; i < 2048; ++i) {
    block[0] = static_cast<std::byte>(i);
    ASSERT_TRUE(writer.Write(block).ok());
  }
  const auto stored = writer.Close();
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->size, 2048 * kMiB);
  EXPECT_LE(PeakMemoryBytes() - before, 64 * kMiB);

  std::uint64_t read_bytes = 0;
  const auto read =
      client->ReadObject({"bkt", "stream"}, ByteSink([&](std::span<const std::byte> data) -> Result<void> {
                           read_bytes += data.size();
                           return {};
                         }));
  ASSERT_TRUE(read.ok()) << read.error().message;  // Its CRC32C was compared.
  EXPECT_EQ(read_bytes, 2048 * kMiB);
  EXPECT_LE(PeakMemoryBytes() - before, 64 * kMiB);
}

// Takes no space on the disk.
class SparseFile {
 public:
  explicit SparseFile(std::uint64_t bytes) {
    path_ = ::testing::TempDir() + "gcsflux-sparse-XXXXXX";
    close(mkstemp(path_.data()));
    std::filesystem::resize_file(path_, bytes);
  }
  ~SparseFile() { std::filesystem::remove(path_); }
  SparseFile(const SparseFile&) = delete;
  SparseFile& operator=(const SparseFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(UploadFile, BuffersOneChunkOfAHalfGibibyteFile) {
  const testing::EmulatorProcess emulator;
  const auto client = Client::Create({.endpoint = emulator.endpoint()});
  ASSERT_TRUE(client->InsertBucket("bkt").ok());
  const SparseFile file(512 * kMiB);
  testing::ResetPeakMemory(getpid());
  const std::uint64_t before = PeakMemoryBytes();
  const auto stored =
      UploadFile(*client, file.path(), {"bkt", "file"}, {.chunk_bytes = 8 * kMiB, .path = WritePath::kOneStream});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->object.size, 512 * kMiB);
  EXPECT_LE(PeakMemoryBytes() - before, 24 * kMiB);
}

}  // namespace
}  // namespace gcsflux
