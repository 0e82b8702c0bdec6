// The checks of dataset_core_test.cc detect their defects: datasets with one defect each do not pass them.
#include <gtest/gtest.h>

#include <memory>

#include "dataset/dataset_fixture.h"
#include "dataset/epoch_order.h"

namespace gcsflux::internal {
namespace {

using testing::DatasetTest;
using testing::Texts;

// An order that never returns its last batch.
class LosesItsTail : public BatchOrder {
 public:
  LosesItsTail(const EpochOptions& how, const Cursor& start, const std::vector<ListedObject>& objects)
      : order_(how, {.cursor = start}, start.listing, /*all_epochs=*/false,
               std::make_shared<const LiveListing>(std::make_shared<const std::vector<ListedObject>>(objects))) {
    next_ = order_.Next();
  }
  std::optional<PlannedBatch> Next() override {
    auto batch = std::exchange(next_, order_.Next());
    return next_ ? batch : std::nullopt;
  }
  [[nodiscard]] bool is_over() const override { return !next_; }
  [[nodiscard]] std::uint64_t expected() const override { return order_.expected(); }

 private:
  EpochOrder order_;
  std::optional<PlannedBatch> next_;
};

TEST_F(DatasetTest, DetectsALostTail) {
  Put(10);
  const EpochOptions how{.order = SampleOrder::kByName, .batch_size = 4};
  const auto objects = ListInParallel(MakeClient({}), {"bkt", "o-"})->objects;
  Cursor start = Beginning(how);
  start.listing = FingerprintOf({"bkt", "o-"}, objects);
  LosesItsTail order(how, start, objects);
  Texts texts;
  while (const auto batch = order.Next()) {
    for (const std::size_t sample : batch->samples) texts.push_back(objects[sample].name);
  }
  EXPECT_EQ(texts.size(), 8U);
  EXPECT_NE(Sorted(texts), All());
}

TEST_F(DatasetTest, DetectsACursorOfPrefetchedBatches) {
  Put(20);
  const EpochOptions how{.order = SampleOrder::kByName, .batch_size = 4};
  Texts used;
  const Cursor of_first = Use(*Core(/*is_live=*/true), how, {.cursor = Beginning(how)}, 1, used);
  Texts read_ahead;
  const Cursor of_second = Use(*Core(/*is_live=*/true), how, {.cursor = of_first}, 1, read_ahead);
  const auto rest_at = [&](const Cursor& cursor) {
    Texts all = used;
    Use(*Core(/*is_live=*/true), how, {.cursor = cursor}, 100, all);
    return Sorted(all);
  };
  EXPECT_EQ(rest_at(of_first), All());
  EXPECT_NE(rest_at(of_second), All());
}

TEST_F(DatasetTest, DetectsAPrefetcherThatIgnoresItsBudget) {
  Put(64, 4 << 10);
  const EpochOptions how{.seed = 5, .batch_size = 8};
  const auto core = CoreOf(MakeClient({.max_undelivered_bytes = ~std::uint64_t{0}}), /*is_live=*/false);
  ASSERT_TRUE(core->Expect(how, {.cursor = Beginning(how)}));
  AwaitReads(64);  // Far more than the expected (64 << 10) / ((4 << 10) + 1024).
}

}  // namespace
}  // namespace gcsflux::internal
