// The memory that `gcsflux checkpoint convert` needs for 2.5 GiB, by the peak of its process.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/crc32c.h"
#include "checkpoints/step_writer.h"
#include "formats/safetensors/safetensors.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/client.h"
#include "support/child_program.h"
#include "support/emulator_process.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using testing::ValueOf;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kMost = 320 * kMiB;
constexpr std::int64_t kFiles = 4;
constexpr std::uint64_t kBlocks = 5;  // Of each tensor in a file, 64 MiB each.
constexpr std::uint64_t kBlockBytes = 64 * kMiB;
constexpr std::int64_t kColumns = 1024;
constexpr std::int64_t kRows = kBlocks * kBlockBytes / sizeof(float) / kColumns;  // Of a slice.

/// A step of four files in its own emulator. Each has a block of the rows of one tensor, and a block of the columns of
/// another. All bytes are the same 64 MiB, which the emulator stores once.
class ConvertMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("bkt").ok());
    for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = static_cast<char>((i * 2654435761U) >> 13);
    ASSERT_TRUE(client_.InsertObject({"bkt", "block"}, AsBytes(block_)).ok());
    auto writer = *StepWriter::Start(internal::StoreOf(steps_));
    CheckpointManifest manifest{.step = 1};
    for (std::int64_t file = 0; file < kFiles; ++file) AddFile(writer, manifest, file);
    ASSERT_TRUE(writer.Commit(std::move(manifest)).ok());
    ASSERT_TRUE(writer.Release().ok());
  }

  void AddFile(StepWriter& writer, CheckpointManifest& manifest, std::int64_t index) {
    const std::vector<StepTensor> tensors = {
        Slice("rows", {kRows, kColumns}, {index * kRows, 0}, {kFiles * kRows, kColumns}),
        Slice("z_columns", {kColumns, kRows}, {0, index * kRows}, {kColumns, kFiles * kRows})};
    const std::string header = HeaderOf(tensors);
    const std::string name = ValueOf(writer.ReserveName(1, "shard-" + std::to_string(index) + ".safetensors"));
    const ObjectName object{"bkt", "runs/7/" + name};
    ASSERT_TRUE(client_.InsertObject({"bkt", "header"}, AsBytes(header)).ok());
    std::vector<ComposeSource> sources = {{.name = "header"}};
    for (std::uint64_t i = 0; i < 2 * kBlocks; ++i) sources.push_back({.name = "block"});
    const ObjectMetadata stored = ValueOf(client_.ComposeObjects(sources, object));
    std::uint64_t begin = header.size();
    for (StepTensor tensor : tensors) {
      tensor.file = manifest.files.size();
      tensor.range = {begin, begin + kBlocks * kBlockBytes};
      begin = tensor.range.end;
      manifest.tensors.push_back(tensor);
    }
    manifest.files.push_back(
        {.name = name, .size = stored.size, .generation = stored.generation, .crc32c = *stored.crc32c});
  }

  [[nodiscard]] StepTensor Slice(std::string name, std::vector<std::int64_t> shape, std::vector<std::int64_t> offsets,
                                 std::vector<std::int64_t> whole) const {
    std::uint32_t crc32c = 0;
    for (std::uint64_t i = 0; i < kBlocks; ++i) crc32c = internal::ExtendCrc32c(crc32c, AsBytes(block_));
    return {.name = std::move(name),
            .shape = std::move(shape),
            .offsets = std::move(offsets),
            .whole_shape = std::move(whole),
            .crc32c = crc32c};
  }

  [[nodiscard]] std::string HeaderOf(const std::vector<StepTensor>& tensors) const {
    SafetensorsContents contents{.has_checksums = false};
    for (const StepTensor& tensor : tensors) contents.tensors.push_back({tensor.name, tensor.dtype, tensor.shape});
    std::string header;
    const TensorWriter write = [&](std::size_t, const ByteSink& sink) -> Result<void> {
      for (std::uint64_t i = 0; i < kBlocks; ++i) {
        if (auto put = sink(AsBytes(block_)); !put.ok()) return put;
      }
      return {};
    };
    const ByteSink keep_first = [&](std::span<const std::byte> bytes) -> Result<void> {
      if (header.empty()) header.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return {};
    };
    EXPECT_TRUE(WriteSafetensors(contents, write, keep_first).ok());
    return header;
  }

  // The peak memory of the programs that have ended; the emulator has not ended.
  static std::uint64_t PeakOfPrograms() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }

  void ExpectConverts(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"checkpoint", "convert"});
    testing::ChildProgram program(GCSFLUX_PROGRAM, arguments, {"STORAGE_EMULATOR_HOST=" + emulator_.endpoint()});
    const std::string errors = program.ReadErrors();
    EXPECT_EQ(program.Wait(), 0) << errors;
    EXPECT_NE(errors.find("wrote 2 tensors"), errors.npos) << errors;
    EXPECT_LE(PeakOfPrograms(), kMost) << arguments.back();
    EXPECT_GT(PeakOfPrograms(), 8 * kMiB) << "nothing was measured";
    std::cout << arguments.back() << ": at most " << PeakOfPrograms() / kMiB << " MiB until now\n";
  }

  std::string block_ = std::string(kBlockBytes, '\0');
  testing::EmulatorProcess emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
  CheckpointSteps steps_ = *CheckpointSteps::Open(client_, "gs://bkt/runs/7");
};

TEST_F(ConvertMemoryTest, StaysBelow320MiB) {
  const std::string step = "gs://bkt/runs/7/step-00000001.json";
  ExpectConverts({step, "gs://bkt/one.pt"});
  ExpectConverts({"--shards=3", "gs://bkt/one.pt", "gs://bkt/runs/8/step-00000001.json"});
  ASSERT_TRUE(client_.DeleteObject({"bkt", "one.pt"}).ok());
  ExpectConverts({step, "gs://bkt/one.safetensors"});
}

}  // namespace
}  // namespace gcsflux
