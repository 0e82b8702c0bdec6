// How LoadArchive fetches: in few requests, at the same time, and without trust in what came.
#include <gmock/gmock.h>
#include <torch/serialize/archive.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gcsflux/torch/archive.h"
#include "torch/bucket_test.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using torch::Tensor;
using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

constexpr int kTensors = 40;

class ArchiveReadsTest : public BucketTest {
 protected:
  static Tensor TensorOf(int i) { return torch::arange(std::int64_t{20'000}) * (2 * i + 1); }
  void Save(const ParallelWriterOptions& options = {}) const {
    const auto fill = [](OutputArchive& archive) {
      for (int i = 0; i < kTensors; ++i) archive.write("t" + std::to_string(i), TensorOf(i));
    };
    SaveArchive(client_, object_, fill, options);
  }
  static void ExpectAll(InputArchive& archive) {
    for (int i = 0; i < kTensors; ++i) {
      Tensor tensor;
      archive.read("t" + std::to_string(i), tensor);
      EXPECT_TRUE(torch::equal(tensor, TensorOf(i))) << i;
    }
  }
  [[nodiscard]] std::size_t Reads() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        emulator_.journal(), [](const auto& record) { return record.operation == "storage.objects.get"; }));
  }

  // Of a record's bytes, by its local header, which ends with its name and padding.
  static std::size_t BeginOf(const std::string& record, const std::string& archive) {
    const std::string name = "archive/" + record;
    const std::size_t at = archive.find(name);
    const auto low = static_cast<unsigned char>(archive.at(at - 2));
    const auto high = static_cast<unsigned char>(archive.at(at - 1));
    return at + name.size() + low + 256U * high;
  }

  const ObjectName object_ = Object("a.pt");
};

// 6.4 MB in stripes of 1 MiB: its metadata, its tail, and each stripe once.
TEST_F(ArchiveReadsTest, FetchesEachStripeOnce) {
  Save();
  const std::size_t before = Reads();
  LoadArchive(client_, object_, ExpectAll, {.stripe_bytes = 1 << 20});
  EXPECT_LE(Reads() - before, 2 + 7);
}

TEST_F(ArchiveReadsTest, LoadsInStripesOfAnySize) {
  Save();
  for (const std::uint64_t stripe : {300'007U, 77'777U, 4'096U}) {
    for (const std::uint64_t ahead : {1U, 100'000U, 2'000'000U}) {
      LoadArchive(client_, object_, ExpectAll, {.stripe_bytes = stripe, .read_ahead_bytes = ahead});
    }
  }
}

TEST_F(ArchiveReadsTest, TakesKeyAndGeneration) {
  const auto key = EncryptionKey::FromBytes(AsBytes("0123456789abcdef0123456789abcdef"));
  Save({.upload = {.encryption_key = *key}});
  LoadArchive(client_, object_, ExpectAll, {.encryption_key = *key});
  const Error error = ThrownBy([&] { LoadArchive(client_, object_, ExpectAll, {.generation = 1}); });
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
}

TEST_F(ArchiveReadsTest, DamageAnywhereIsFound) {
  Save();
  const std::string whole = ValueOrThrow(client_.ReadObject(object_));
  const std::size_t pickle = whole.find("archive/data.pkl");
  ASSERT_NE(pickle, std::string::npos);
  std::vector<std::size_t> places = {70, 160'100, 3'000'000};
  for (std::size_t at = pickle; at < whole.size(); at += 97) places.push_back(at);
  for (const std::size_t at : places) {
    SCOPED_TRACE(at);
    emulator_.faults().Load({.rules = {{.name = "it",
                                        .match = {.operation = "storage.objects.get"},
                                        .action = {.type = "corrupt", .at_byte = at}}}});
    const auto refuse = [](InputArchive&) { ADD_FAILURE() << "it was taken"; };
    const Error error = ThrownBy([&] { LoadArchive(client_, object_, refuse, {.stripe_bytes = 1 << 20}); });
    EXPECT_GE(emulator_.faults().Fired("it"), 1U);
    EXPECT_EQ(error.code, ErrorCode::kCorrupted) << error.message;
    EXPECT_THAT(error.message, HasSubstr("gs://torch-test/a.pt"));
  }
}

// libtorch crashes on some damaged pickles, and on others it does not come back.
TEST_F(ArchiveReadsTest, LibtorchSeesNoDamagedPickle) {
  Save();
  const std::string whole = ValueOrThrow(client_.ReadObject(object_));
  for (const char* name : {"data.pkl", "constants.pkl", "version"}) {
    SCOPED_TRACE(name);
    const std::size_t at = BeginOf(name, whole);
    emulator_.faults().Load({.rules = {{.name = "it",
                                        .match = {.operation = "storage.objects.get"},
                                        .action = {.type = "corrupt", .at_byte = at}}}});
    const Error error = ThrownBy([&] { LoadArchive(client_, object_, ExpectAll, {.stripe_bytes = 1 << 20}); });
    EXPECT_EQ(error.code, ErrorCode::kCorrupted);
    EXPECT_THAT(error.message, ::testing::AllOf(HasSubstr(name), HasSubstr("CRC-32")));
  }
}

// The same in the object itself: libtorch would take a tensor as it is.
TEST_F(ArchiveReadsTest, APickleThatIsStoredDamagedIsRefused) {
  Save();
  std::string whole = ValueOrThrow(client_.ReadObject(object_));
  whole[BeginOf("data.pkl", whole) + 20] ^= 1;
  Put("a.pt", whole);
  const Error error = ThrownBy([&] { LoadArchive(client_, object_, ExpectAll); });
  EXPECT_EQ(error.code, ErrorCode::kCorrupted);
  EXPECT_THAT(error.message, ::testing::AllOf(HasSubstr("gs://torch-test/a.pt"), HasSubstr("data.pkl")));
}

}  // namespace
}  // namespace gcsflux
