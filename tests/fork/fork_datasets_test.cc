// A dataset of the parent's, used in a child: by threads and connections of its own.
#include <gtest/gtest.h>

#include "dataset/dataset_core.h"
#include "fork/fork_fixture.h"

namespace gcsflux {
namespace {

using internal::DatasetCore;
using internal::FinishedBatch;
using testing::InChild;

constexpr std::size_t kSamples = 64;
constexpr std::size_t kSampleBytes = 2000;

class ForkDatasetsTest : public testing::ForkTest {
 protected:
  void SetUp() override {
    if (const std::string why = testing::WhyNoThreadsInChildren(); !why.empty()) GTEST_SKIP() << why;
    Start(/*is_tls=*/false);
    Put(kSamples, kSampleBytes);
  }

  // Samples are the objects' bytes.
  [[nodiscard]] std::unique_ptr<DatasetCore> MakeDataset() const {
    std::vector<ListedObject> objects;
    for (const ObjectMetadata& o : stored_) {
      objects.push_back({.name = o.name, .size = o.size, .generation = o.generation, .crc32c = o.crc32c});
    }
    internal::SampleWork work{
        .make = [](std::size_t samples) { return std::make_shared<std::vector<std::string>>(samples); },
        .decode = [](void* batch, std::size_t place, const ListedObject&, DownloadedObject& object,
                     const SampleContext&) -> internal::DecodedSample {
          (*static_cast<std::vector<std::string>*>(batch))[place].assign(
              reinterpret_cast<const char*>(object.bytes.data()), object.bytes.size());
          return {};
        }};
    return std::make_unique<DatasetCore>(
        *Client::Create(Options()),
        DatasetCore::Settings{.prefix = {kBucket, ""}, .objects = std::move(objects), .work = std::move(work)},
        DatasetOptions{.download = {}});
  }

  // "" if the batch has these objects' bytes.
  static std::string Compare(const FinishedBatch& batch, const std::vector<std::size_t>& samples) {
    if (batch.error) return batch.error->message;
    const auto& texts = *static_cast<const std::vector<std::string>*>(batch.samples.get());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (texts[i] != Content(samples[i], kSampleBytes)) return "other bytes for object " + std::to_string(samples[i]);
    }
    return "";
  }

  static std::string FetchAll(const DatasetCore& dataset) {
    for (std::size_t first = 0; first < kSamples; first += 8) {
      std::vector<std::size_t> samples;
      for (std::size_t i = 0; i < 8; ++i) samples.push_back(first + i);
      if (auto wrong = Compare(dataset.Fetch(samples), samples); !wrong.empty()) return wrong;
    }
    return "";
  }
};

TEST_F(ForkDatasetsTest, ChildFetchesIndependently) {
  const auto dataset = MakeDataset();
  const EpochOptions order{.order = SampleOrder::kByName, .batch_size = 8};
  ASSERT_TRUE(
      dataset->Expect(order, {.cursor = {.order = order.sample_order(), .listing = dataset->fingerprint()}}).ok());
  ASSERT_TRUE((*dataset->Next(0)).has_value());  // The rest is in flight now.
  for (int children = 0; children < 3; ++children) {
    EXPECT_EQ(InChild([&] { return FetchAll(*dataset); }), "");
  }
  std::size_t batches = 1;
  while (true) {
    const auto batch = *dataset->Next(0);
    if (!batch) break;
    std::vector<std::size_t> samples;
    for (std::size_t i = 0; i < 8; ++i) samples.push_back(batches * 8 + i);
    EXPECT_EQ(Compare(*batch, samples), "");
    ++batches;
  }
  EXPECT_EQ(batches, kSamples / 8);
}

// Its end would look like that of the epoch.
TEST_F(ForkDatasetsTest, ParentsLoopFailsInAChild) {
  const auto dataset = MakeDataset();
  const EpochOptions order{.order = SampleOrder::kByName, .batch_size = 8};
  const Cursor start{.order = order.sample_order(), .listing = dataset->fingerprint()};
  ASSERT_TRUE(dataset->Expect(order, {.cursor = start}).ok());
  ASSERT_TRUE((*dataset->Next(0)).has_value());
  EXPECT_EQ(InChild([&]() -> std::string {
              const auto next = dataset->Next(0);
              if (next.ok() || next.error().code != ErrorCode::kForked) return "the parent's loop goes on";
              if (!dataset->Expect(order, {.cursor = start}).ok()) return "no loop begins";
              return dataset->Next(0).ok() ? "" : "its own loop fails";
            }),
            "");
  EXPECT_TRUE((*dataset->Next(0)).has_value());
}

}  // namespace
}  // namespace gcsflux
