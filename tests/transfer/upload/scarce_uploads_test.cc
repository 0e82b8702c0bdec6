// One of the larger allocations of a writing call fails: the call returns an error, which tells whether the object was
// stored, and the writer is at its end.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "gcsflux/upload.h"
#include "support/fake_gcs.h"
#include "support/object_of.h"
#include "support/result.h"
#include "support/test_directory.h"
#include "support/upload_case.h"
#include "support/watched_memory.h"

namespace gcsflux {
namespace {

using testing::ErrorOf;
using testing::kChunk;
using testing::kObject;
using testing::Pattern;
using testing::ScarceMemory;

struct ScarceWay {
  std::string name;
  std::function<Result<ObjectMetadata>(const Client&, const std::string& path, const std::string& bytes)> store = {};
};

void PrintTo(const ScarceWay& way, std::ostream* out) { *out << way.name; }

template <class Writer>
Result<ObjectMetadata> StoreBy(Writer writer, const std::string& bytes) {
  if (auto written = writer.Write(AsBytes(bytes)); !written) {
    EXPECT_EQ(ErrorOf(writer.Close()).message, ErrorOf(written).message);
    return written.error();
  }
  return writer.Close();
}

const ScarceWay kScarceWays[] = {
    {"OneRequest", [](const Client& client, const auto&,
                      const auto& bytes) { return UploadObject(client, kObject, AsBytes(bytes)); }},
    {"Session",
     [](const Client& client, const auto&, const auto& bytes) {
       return UploadObject(client, kObject, AsBytes(bytes), {.chunk_bytes = kChunk});
     }},
    {"File", [](const Client& client, const auto& path,
                const auto&) { return testing::ObjectOf(UploadFile(client, path, kObject, {.chunk_bytes = kChunk})); }},
    {"Stream",
     [](const Client& client, const auto&, const auto& bytes) {
       return StoreBy(ObjectWriter(client, kObject, {.path = WritePath::kOneStream}), bytes);
     }},
    {"Writer", [](const Client& client, const auto&,
                  const auto& bytes) { return StoreBy(ObjectWriter(client, kObject), bytes); }},
};

class ScarceUploadsTest : public ::testing::TestWithParam<ScarceWay> {};

TEST_P(ScarceUploadsTest, ReportWhatWasStored) {
  constexpr std::size_t kLeast = 64 << 10;
  const std::string bytes = Pattern(2 * kChunk + 7);
  const testing::TestDirectory directory;
  const std::string path = directory.Write("file", bytes);
  int failures = 0;
  for (bool has_failed = true; has_failed; ++failures) {
    SCOPED_TRACE("allocation " + std::to_string(failures));
    testing::FakeGcs gcs;
    const Client client = testing::MakeClient(gcs);
    const ScarceMemory scarce(kLeast, failures);
    const auto stored = GetParam().store(client, path, bytes);
    has_failed = ScarceMemory::has_failed();
    if (!has_failed) {
      EXPECT_TRUE(stored.ok()) << ErrorOf(stored).message;
      break;
    }
    EXPECT_EQ(ErrorOf(stored).code, ErrorCode::kLocalIo) << ErrorOf(stored).message;
    const WriteOutcome outcome = ErrorOf(stored).outcome;
    EXPECT_TRUE(outcome == WriteOutcome::kUnknown || !gcs.objects.contains("o")) << ErrorOf(stored).message;
  }
  EXPECT_GE(failures, 1);
}

// Each allocation but the smallest ones fails in turn while the writer cancels its session. (The destructor of a JSON
// document allocates a little, and cannot fail.)
TEST(ScarceEnd, DoesNotAbortTheProcess) {
  int failures = 0;
  for (bool has_failed = true; has_failed; ++failures) {
    testing::FakeGcs gcs;
    std::optional<ObjectWriter> writer(std::in_place, testing::MakeClient(gcs), kObject,
                                       UploadOptions{.chunk_bytes = kChunk, .path = WritePath::kOneStream});
    ASSERT_TRUE(writer->Write(AsBytes(Pattern(kChunk + 1))).ok());
    const ScarceMemory scarce(128, failures);
    writer.reset();
    has_failed = ScarceMemory::has_failed();
    EXPECT_TRUE(has_failed || gcs.sessions.empty());
  }
  EXPECT_GE(failures, 3);
}

INSTANTIATE_TEST_SUITE_P(Each, ScarceUploadsTest, ::testing::ValuesIn(kScarceWays),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace gcsflux
