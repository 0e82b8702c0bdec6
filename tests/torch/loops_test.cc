// Every kind of loop over a dataset, in every order, over a complete or a running listing: fresh or resumed, on any
// number of ranks, and after a failure.
#include <gmock/gmock.h>
#include <torch/data.h>
#include <torch/serialize.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gcsflux/torch/epoch_sampler.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "gcsflux/torch/map_dataset.h"
#include "support/fails_with.h"
#include "support/load_fault.h"
#include "torch/numbered_objects.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using torch::data::DataLoaderOptions;

using Numbers = BasicMapDataset<int>;
using NumberStream = BasicIterableDataset<int>;

int AsNumber(const ListedObject&, std::span<const std::byte> bytes) {
  return std::stoi(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

torch::serialize::InputArchive ArchiveOf(const Cursor& cursor) {
  std::stringstream file;
  torch::serialize::OutputArchive out;
  internal::SaveCursor(out, cursor);
  out.save_to(file);
  torch::serialize::InputArchive in;
  in.load_from(file);
  return in;
}

/// A program that loops over the epochs of a dataset, as one rank.
class Loops {
 public:
  virtual ~Loops() = default;
  /// Continues at the cursor with the next epoch.
  virtual void Resume(const Cursor& cursor) = 0;
  /// The numbers of the next epoch, or of so many of its batches.
  virtual std::vector<int> Epoch(std::size_t most_batches = ~std::size_t{0}) = 0;
  virtual Cursor cursor() = 0;
};

class OverEpochs : public Loops {
 public:
  explicit OverEpochs(NumberStream dataset) : dataset_(std::move(dataset)) {}
  void Resume(const Cursor& cursor) override { next_ = cursor; }
  std::vector<int> Epoch(std::size_t most_batches) override {
    std::vector<int> numbers;
    for (auto& batch : dataset_.Epoch(std::exchange(next_, std::nullopt))) {
      numbers.insert(numbers.end(), batch.samples.begin(), batch.samples.end());
      if (--most_batches == 0) break;
    }
    return numbers;
  }
  Cursor cursor() override { return dataset_.cursor(); }

 private:
  NumberStream dataset_;
  std::optional<Cursor> next_;
};

class OverLoader : public Loops {
 public:
  explicit OverLoader(NumberStream dataset, std::size_t batch_size)
      : dataset_(std::move(dataset)), batch_size_(batch_size) {}
  void Resume(const Cursor& cursor) override {
    auto archive = ArchiveOf(cursor);
    dataset_.load(archive);
  }
  std::vector<int> Epoch(std::size_t most_batches) override {
    std::vector<int> numbers;
    const auto loader = torch::data::make_data_loader(NumberStream(dataset_), DataLoaderOptions(batch_size_));
    for (const auto& batch : *loader) {
      numbers.insert(numbers.end(), batch.begin(), batch.end());
      dataset_.BatchConsumed();
      if (--most_batches == 0) break;
    }
    return numbers;
  }
  Cursor cursor() override { return dataset_.consumed(); }

 private:
  NumberStream dataset_;
  std::size_t batch_size_;
};

class OverSampler : public Loops {
 public:
  OverSampler(Numbers dataset, const EpochOptions& how) : dataset_(std::move(dataset)), sampler_(dataset_, how) {}
  void Resume(const Cursor& cursor) override {
    auto archive = ArchiveOf(cursor);
    sampler_.load(archive);
  }
  std::vector<int> Epoch(std::size_t most_batches) override {
    std::vector<int> numbers;
    const DataLoaderOptions options(static_cast<std::size_t>(batch_size_));
    const auto loader = torch::data::make_data_loader(Numbers(dataset_), sampler_, options);
    for (const auto& batch : *loader) {
      numbers.insert(numbers.end(), batch.begin(), batch.end());
      sampler_.BatchConsumed();
      if (--most_batches == 0) break;
    }
    return numbers;
  }
  Cursor cursor() override { return sampler_.cursor(); }
  void set_batch_size(std::uint64_t batch_size) { batch_size_ = batch_size; }

 private:
  Numbers dataset_;
  EpochSampler sampler_;
  std::uint64_t batch_size_ = 1;
};

enum class Kind { kEpochs, kLoader, kSampler };

class LoopsTest : public NumberedObjectsTest,
                  public ::testing::WithParamInterface<std::tuple<SampleOrder, Kind, bool, bool, std::uint64_t>> {
 protected:
  [[nodiscard]] SampleOrder order() const { return std::get<0>(GetParam()); }
  [[nodiscard]] Kind kind() const { return std::get<1>(GetParam()); }
  [[nodiscard]] bool is_known() const { return std::get<2>(GetParam()); }
  [[nodiscard]] bool is_resumed() const { return std::get<3>(GetParam()); }
  [[nodiscard]] std::uint64_t ranks() const { return std::get<4>(GetParam()); }

  [[nodiscard]] EpochOptions How(std::uint64_t rank, std::uint64_t batch_size = kBatch) const {
    return {.order = order(),
            .shuffle_buffer = 12,
            .seed = 3,
            .batch_size = batch_size,
            .rank = rank,
            .world_size = ranks()};
  }
  [[nodiscard]] Listing ListingOf(const ObjectName& prefix) const {
    return {.prefix = prefix, .objects = ValueOrThrow(ListInParallel(client_, prefix)).objects};
  }
  [[nodiscard]] NumberStream Stream(const EpochOptions& how, const ObjectName& prefix, bool is_known) const {
    if (is_known) return NumberStream::OfListing(client_, ListingOf(prefix), AsNumber, how, Options());
    return {client_, prefix, AsNumber, how, Options()};
  }
  [[nodiscard]] DatasetOptions Options() const {
    DatasetOptions options = kDirect;
    options.fetch_across_epochs = ranks() != 2;
    return options;
  }
  [[nodiscard]] std::unique_ptr<Loops> Make(const EpochOptions& how) const {
    const ObjectName prefix = Object("numbers/");
    if (kind() == Kind::kEpochs) return std::make_unique<OverEpochs>(Stream(how, prefix, is_known()));
    if (kind() == Kind::kLoader) return std::make_unique<OverLoader>(Stream(how, prefix, is_known()), how.batch_size);
    auto loops =
        std::make_unique<OverSampler>(is_known() ? Numbers::OfListing(client_, ListingOf(prefix), AsNumber, Options())
                                                 : Numbers(client_, prefix, AsNumber, Options()),
                                      how);
    loops->set_batch_size(how.batch_size);
    return loops;
  }

  // The position of another run, on one rank, after two batches of the second epoch. It listed while it read.
  [[nodiscard]] Cursor Elsewhere(const ObjectName& prefix, std::vector<int>& used) const {
    EpochOptions how = How(0);
    how.world_size = 1;
    OverEpochs run(Stream(how, prefix, /*is_known=*/false));
    run.Epoch(~std::size_t{0});
    used = run.Epoch(2);
    return ValueOrThrow(ParseCursor(FormatCursor(run.cursor())));
  }
  // The same, while the listing was not complete.
  [[nodiscard]] Cursor OfFirst(Cursor cursor, std::size_t count) const {
    auto objects = ListingOf({cursor.listing.bucket, cursor.listing.prefix}).objects;
    objects.resize(count);
    const auto first =
        Numbers::OfListing(client_, {{cursor.listing.bucket, cursor.listing.prefix}, {}, objects}, AsNumber, kDirect);
    cursor.listing = first.fingerprint();
    cursor.listing.is_partial = true;
    return cursor;
  }

  static std::vector<int> Sorted(std::vector<int> numbers) {
    std::ranges::sort(numbers);
    return numbers;
  }
  static std::vector<int> All() {
    std::vector<int> all(kObjects);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
};

TEST_P(LoopsTest, GiveEachSampleOncePerEpoch) {
  for (const bool is_partial : {false, true}) {
    if (is_partial && !is_resumed()) continue;
    std::vector<std::vector<int>> epochs(2);
    Cursor cursor;
    if (is_resumed()) cursor = Elsewhere(Object("numbers/"), epochs[0]);
    if (is_partial) cursor = OfFirst(cursor, 30);
    for (std::uint64_t rank = 0; rank < ranks(); ++rank) {
      const auto loops = Make(How(rank));
      if (is_resumed()) loops->Resume(cursor);
      for (auto& epoch : epochs) {
        const auto numbers = loops->Epoch();
        epoch.insert(epoch.end(), numbers.begin(), numbers.end());
      }
      EXPECT_EQ(loops->cursor().epoch, is_resumed() ? 3U : 2U);
    }
    for (const auto& epoch : epochs) EXPECT_EQ(Sorted(epoch), All());
  }
}

// The others use a last sample that this rank does not get: it continues with the next epoch, as they do.
TEST_P(LoopsTest, ContinueWithTheNextEpochIfNoBatchIsLeft) {
  for (const std::uint64_t left : {0, 1}) {
    const EpochOptions how = How(ranks() - 1, /*batch_size=*/1);
    std::vector<int> used;
    Cursor cursor = Elsewhere(Object("numbers/"), used);
    cursor.consumed = kObjects - left;
    const auto loops = Make(how);
    loops->Resume(cursor);
    const bool is_empty_at_first = left == 1 && ranks() > 1;
    const bool has_one_at_first = left == 1 && ranks() == 1;
    if (is_empty_at_first) {
      EXPECT_EQ(loops->Epoch().size(), 0U);
      EXPECT_EQ(loops->cursor().epoch, 2U);
    }
    if (has_one_at_first) {
      EXPECT_EQ(loops->Epoch().size(), 1U);
    }
    EXPECT_EQ(loops->Epoch().size(), kObjects / ranks());
    EXPECT_EQ(loops->cursor().epoch, 3U);
  }
}

TEST_P(LoopsTest, StartOverAfterARefusedCursor) {
  struct Case {
    const char* name;
    Cursor cursor;
    const char* words;
  };
  for (int i = 0; i < kObjects; ++i) Put("others/" + std::to_string(1000 + i), std::to_string(i));
  std::vector<int> used;
  const Cursor other = Elsewhere(Object("others/"), used);
  const Cursor own = Elsewhere(Object("numbers/"), used);
  Cursor far = own;
  far.epoch = ~std::uint64_t{0};
  const Cursor part = OfFirst(own, 30);
  const Cursor other_part = OfFirst(other, 30);
  Put(NameOf(1), "1");  // Another generation.
  const Case cases[] = {{"other prefix", other, "the prefix is gs://torch-test/others/"},
                        {"part of another prefix", other_part, "the prefix is gs://torch-test/others/"},
                        {"changed", own, "objects of the same number have other names or generations"},
                        {"changed part", part, "of the first 30 objects some have other names or generations"},
                        {"last epoch", far, "epoch is 18446744073709551615"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const auto loops = Make(How(0));
    std::size_t samples = 0;
    if (is_resumed()) samples = loops->Epoch(1).size();
    const Cursor before = loops->cursor();
    const Error error = ThrownBy([&] {
      loops->Resume(one.cursor);
      loops->Epoch();
    });
    EXPECT_TRUE(testing::FailsWith(error, ErrorCode::kInvalidArgument, HasSubstr(one.words)));
    EXPECT_EQ(loops->cursor(), before);
    samples += loops->Epoch().size();
    EXPECT_NEAR(static_cast<double>(samples), static_cast<double>(kObjects) / static_cast<double>(ranks()), 2);
    EXPECT_EQ(loops->cursor().epoch, 1U);
  }
}

TEST_P(LoopsTest, FailIfNoRankHasABatch) {
  EpochOptions how = How(0, kObjects);
  how.batch_size = kObjects + 1;
  how.tail = EpochTail::kDrop;
  EXPECT_TRUE(testing::FailsWith(ThrownBy([&] { Make(how)->Epoch(); }), ErrorCode::kInvalidArgument,
                                 HasSubstr("has no batch for rank 0")));
}

TEST_P(LoopsTest, ListAgainAfterAFailedListing) {
  testing::LoadFault(emulator_, "fails", {.operation = "storage.objects.list"}, {.type = "status", .status = 503});
  std::unique_ptr<Loops> loops;
  const Error error = ThrownBy([&] {
    loops = Make(How(0));
    loops->Epoch();
  });
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_GE(emulator_.faults().Fired("fails"), 1U);
  emulator_.faults().Load({});
  if (!loops) loops = Make(How(0));  // The constructor lists.
  const auto samples = static_cast<double>(loops->Epoch().size());
  EXPECT_NEAR(samples, static_cast<double>(kObjects) / static_cast<double>(ranks()), 2);
}

TEST_P(LoopsTest, FindObjectsStoredAfterAnEmptyListing) {
  for (const std::string& name : StoredNames()) ValueOrThrow(client_.DeleteObject(Object(name)));
  std::unique_ptr<Loops> loops;
  const Error error = ThrownBy([&] {
    loops = Make(How(0));
    loops->Epoch();
  });
  if (is_known()) {
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << "a list of no objects has no batch";
    return;
  }
  EXPECT_EQ(error.code, ErrorCode::kEmptyPrefix);
  for (int i = 0; i < kObjects; ++i) Put(NameOf(i), std::to_string(i));
  if (!loops) loops = Make(How(0));
  EXPECT_FALSE(loops->Epoch().empty());
}

std::string NameOfCase(const ::testing::TestParamInfo<LoopsTest::ParamType>& info) {
  constexpr const char* kOrders[] = {"ByName", "Shuffled", "Buffered"};
  constexpr const char* kKinds[] = {"Epochs", "Loader", "Sampler"};
  return std::string(kOrders[static_cast<std::size_t>(std::get<0>(info.param))]) +
         kKinds[static_cast<std::size_t>(std::get<1>(info.param))] + (std::get<2>(info.param) ? "Known" : "Live") +
         (std::get<3>(info.param) ? "Resumed" : "Fresh") + std::to_string(std::get<4>(info.param));
}

const auto kBothListings = ::testing::Bool();
const auto kFreshAndResumed = ::testing::Bool();
const auto kRanks = ::testing::Values(1, 2, 3);

INSTANTIATE_TEST_SUITE_P(
    Each, LoopsTest,
    ::testing::Combine(::testing::Values(SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered),
                       ::testing::Values(Kind::kEpochs, Kind::kLoader), kBothListings, kFreshAndResumed, kRanks),
    NameOfCase);
INSTANTIATE_TEST_SUITE_P(OfSamplers, LoopsTest,
                         ::testing::Combine(::testing::Values(SampleOrder::kByName, SampleOrder::kShuffled),
                                            ::testing::Values(Kind::kSampler), kBothListings, kFreshAndResumed, kRanks),
                         NameOfCase);

}  // namespace
}  // namespace gcsflux
