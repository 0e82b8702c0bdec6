#include "gcsflux/torch/archive.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <torch/nn/modules/linear.h>
#include <torch/serialize.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "torch/bucket_test.h"
#include "torch/loopback_proxy.h"

namespace gcsflux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using torch::Tensor;
using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

constexpr std::size_t kPart = 5U << 20;

class ArchiveTest : public BucketTest {
 protected:
  void Save(std::string_view name, const Tensor& tensor, const ParallelWriterOptions& options = {}) const {
    SaveArchive(
        client_, Object(name), [&](OutputArchive& archive) { archive.write("tensor", tensor); }, options);
  }

  Tensor Load(std::string_view name) const {
    Tensor tensor;
    LoadArchive(client_, Object(name), [&](InputArchive& archive) { archive.read("tensor", tensor); });
    return tensor;
  }

  [[nodiscard]] std::string Bytes(std::string_view name) const {
    return ValueOrThrow(client_.ReadObject(Object(name)));
  }
};

/// More than a part, so that its upload fails or stops while libtorch is writing.
Tensor SeveralParts() { return torch::arange(std::int64_t{3 * kPart / sizeof(std::int64_t)}); }

TEST_F(ArchiveTest, ReadsBackWhatItWrote) {
  const Tensor tensor = SeveralParts();
  Save("a.pt", tensor, {.part_bytes = kPart});
  EXPECT_TRUE(torch::equal(Load("a.pt"), tensor));
  EXPECT_THAT(StoredNames(), ElementsAre("a.pt"));
}

TEST_F(ArchiveTest, IsTheFileThatTorchSaveWrites) {
  const torch::nn::Linear model(30, 20);
  SaveArchive(client_, Object("model.pt"), [&](OutputArchive& archive) { model->save(archive); });
  std::ostringstream file;
  torch::save(model, file);
  EXPECT_EQ(Bytes("model.pt"), file.str());
}

TEST_F(ArchiveTest, AFailureWhileLibtorchWritesIsThrownWhenItHasWritten) {
  const auto fill = [](OutputArchive& archive) { archive.write("tensor", SeveralParts()); };
  const Error error = ThrownBy([&] { SaveArchive(client_, {"no-such-bucket", "a.pt"}, fill, {.part_bytes = kPart}); });
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("gs://no-such-bucket/a.pt"));
}

TEST_F(ArchiveTest, ACancelledSaveLeavesNothing) {
  std::stop_source stop;
  stop.request_stop();
  const Error error =
      ThrownBy([&] { Save("a.pt", SeveralParts(), {.upload = {.stop = stop.get_token()}, .part_bytes = kPart}); });
  EXPECT_EQ(error.code, ErrorCode::kCancelled);
  EXPECT_THAT(StoredNames(), IsEmpty());
}

TEST_F(ArchiveTest, AnExceptionOfTheCallersGoesOnAndLeavesNothing) {
  const auto fill = [](OutputArchive& archive) {
    archive.write("tensor", SeveralParts());
    throw std::out_of_range("enough");
  };
  EXPECT_THROW(SaveArchive(client_, Object("a.pt"), fill), std::out_of_range);
  EXPECT_THAT(StoredNames(), IsEmpty());
}

TEST_F(ArchiveTest, CreatesOnlyWhereAskedTo) {
  Put("a.pt", "another one's");
  const ParallelWriterOptions create{.upload = {.mode = WriteMode::kCreate}};
  EXPECT_EQ(ThrownBy([&] { Save("a.pt", torch::ones({3}), create); }).code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(Bytes("a.pt"), "another one's");
}

TEST_F(ArchiveTest, AProcessThatDiesWhileSavingLeavesNothing) {
  // The second tensor's memory cannot be read: the process ends there, with the first one on its way.
  const std::size_t size = 4096;
  void* unreadable = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(unreadable, MAP_FAILED);
  const torch::Tensor first = SeveralParts();  // Not in the child, which has none of libtorch's threads.

  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL);
    const auto fill = [&](OutputArchive& archive) {
      archive.write("first", first);
      archive.write("second", torch::from_blob(unreadable, {static_cast<std::int64_t>(size)}, torch::kUInt8));
    };
    SaveArchive(MakeClient(emulator_.endpoint()), Object("a.pt"), fill, {.part_bytes = kPart});
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << "status " << status;
  EXPECT_THAT(StoredNames(), IsEmpty());
  ::munmap(unreadable, size);
}

TEST_F(ArchiveTest, AMissingObjectIsNotFound) {
  const Error error = ThrownBy([&] { Load("a.pt"); });
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("gs://torch-test/a.pt"));
}

TEST_F(ArchiveTest, BytesThatAreNoWholeArchiveAreUndecodable) {
  Save("whole.pt", torch::ones({1000}));
  const std::string whole = Bytes("whole.pt");
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, whole.size() / 2, whole.size() - 1}) {
    Put("cut.pt", std::string_view(whole).substr(0, size));
    const Error error = ThrownBy([&] { Load("cut.pt"); });
    EXPECT_EQ(error.code, ErrorCode::kUndecodable) << size << " bytes";
    EXPECT_THAT(error.message, HasSubstr("gs://torch-test/cut.pt"));
    EXPECT_THAT(error.message, ::testing::Not(HasSubstr("\n")));
  }
}

TEST_F(ArchiveTest, AMissingEntryIsUndecodable) {
  SaveArchive(client_, Object("a.pt"), [](OutputArchive& archive) { archive.write("other", torch::ones({3})); });
  const Error error = ThrownBy([&] { Load("a.pt"); });
  EXPECT_EQ(error.code, ErrorCode::kUndecodable);
  EXPECT_THAT(error.message, ::testing::AllOf(HasSubstr("gs://torch-test/a.pt"), HasSubstr("'tensor'")));
}

TEST_F(ArchiveTest, AnExceptionOfTheReadersGoesOn) {
  Save("a.pt", torch::ones({3}));
  const auto use = [](InputArchive&) { throw std::out_of_range("enough"); };
  EXPECT_THROW(LoadArchive(client_, Object("a.pt"), use), std::out_of_range);
}

TEST_F(ArchiveTest, BytesChangedOnTheWayAreNotLoaded) {
  Save("a.pt", torch::full({64}, 'X', torch::kUInt8));
  const auto flip = [](std::span<char> answer) {
    const auto found = std::ranges::search(answer, std::string_view("XXXXXXXX"));
    if (!found.empty()) found.front() = 'Y';
  };
  const LoopbackProxy proxy(emulator_.endpoint(), {.edit_answer = flip});
  bool is_used = false;
  const auto use = [&](InputArchive&) { is_used = true; };
  const Error error = ThrownBy([&] { LoadArchive(MakeClient(proxy.endpoint()), Object("a.pt"), use); });
  EXPECT_EQ(error.code, ErrorCode::kCorrupted);
  EXPECT_FALSE(is_used);
}

}  // namespace
}  // namespace gcsflux
