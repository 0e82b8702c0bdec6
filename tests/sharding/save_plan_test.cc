// Which rank writes which bytes, as a function of the tensors of all.
#include "sharding/save_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numeric>

#include "formats/bytes/boxes.h"
#include "sharding/announcement.h"
#include "sharding/random_parts.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RandomParts;
using testing::ValueOf;

using Ranks = std::vector<std::vector<TensorPart>>;

internal::AnnouncedSave Save(std::size_t rank = 0) {
  return {.host = "host-" + std::to_string(rank), .uri = "gs://bkt/run/", .step = 7};
}

std::vector<std::string> Announce(const Ranks& ranks) {
  std::vector<std::string> announcements;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    announcements.push_back(internal::FormatAnnouncement(Save(rank), ranks[rank]));
  }
  return announcements;
}

Result<internal::SavePlan> Plan(const Ranks& ranks) { return internal::PlanSave(Announce(ranks)); }

TensorPart Whole(std::string name, std::vector<std::int64_t> shape) {
  return {.name = std::move(name), .shape = std::move(shape)};
}

TensorPart Rows(std::string name, std::vector<std::int64_t> shape, std::int64_t begin, std::int64_t end) {
  TensorPart part{.name = std::move(name), .shape = shape, .offsets = {begin, 0}, .sizes = shape};
  part.sizes[0] = end - begin;
  return part;
}

std::uint64_t Largest(const internal::SavePlan& plan) {
  return *std::max_element(plan.bytes.begin(), plan.bytes.end());
}

double Mean(const internal::SavePlan& plan) {
  const auto sum = std::accumulate(plan.bytes.begin(), plan.bytes.end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(plan.bytes.size());
}

// Every element of every tensor is in one of the parts that the ranks write.
void ExpectOnce(const Ranks& ranks, const internal::SavePlan& plan) {
  std::map<std::string, std::vector<TensorPart>> written;
  for (const auto& parts : ranks) {
    for (const TensorPart& part : parts) written[part.name];
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const auto& rows : plan.ranks[rank]) {
      TensorPart part = internal::RowsOfPart(ranks[rank].at(rows.part), rows);
      EXPECT_EQ(internal::BytesOfRows(ranks[rank][rows.part], rows).size(),
                *ElementCount(part.OwnShape()) * ElementBytes(part.dtype));
      part.offsets.resize(part.shape.size(), 0);
      part.sizes = part.OwnShape();
      written[part.name].push_back(part);
    }
  }
  for (const auto& [name, parts] : written) {
    ASSERT_FALSE(parts.empty()) << name << " is written by no rank";
    std::vector<internal::Box> boxes;
    for (const TensorPart& part : parts) boxes.push_back({part.offsets, part.sizes});
    EXPECT_TRUE(internal::DoTile(boxes, parts.front().shape)) << name;
  }
}

TEST(SavePlan, WritesEachElementOfRandomTensorsOnce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomParts random(seed);
    const Ranks ranks = random.Of(random.Tensors(1 + random.Below(20)), static_cast<int>(1 + random.Below(8)));
    const auto plan = ValueOf(Plan(ranks));
    ASSERT_EQ(plan.ranks.size(), ranks.size());
    ExpectOnce(ranks, plan);
    EXPECT_EQ(ValueOf(Plan(ranks)).ranks, plan.ranks) << "the same input gives the same plan";
  }
}

TEST(SavePlan, WritesCopiesOnceAndSpreadsThem) {
  const auto plan = ValueOf(Plan({{Whole("a", {1}), Whole("b", {1})}, {Whole("a", {1}), Whole("b", {1})}}));
  EXPECT_EQ(plan.ranks[0].size() + plan.ranks[1].size(), 2U);
  EXPECT_EQ(plan.bytes[0], plan.bytes[1]);
}

TEST(SavePlan, DividesALargeTensorByRows) {
  const Ranks ranks(4, {Whole("large", {1, 4000, 256})});
  const auto plan = ValueOf(Plan(ranks));
  ExpectOnce(ranks, plan);
  EXPECT_LT(static_cast<double>(Largest(plan)), 1.01 * Mean(plan));
  EXPECT_THAT(plan.ranks[1], ElementsAre(internal::PlannedRows{0, 1000, 2000}));
}

TEST(SavePlan, GivesCopiesToLightlyLoadedRanks) {
  Ranks ranks(3, {Whole("copied", {3000, 256})});
  ranks[0].push_back(Whole("alone", {1000, 256}));
  const auto plan = ValueOf(Plan(ranks));
  ExpectOnce(ranks, plan);
  EXPECT_LT(static_cast<double>(Largest(plan)), 1.01 * Mean(plan));
}

TEST(SavePlan, IsBalancedForLargeAndSmallTensors) {
  for (const std::size_t world : {2U, 3U, 5U, 8U, 64U}) {
    std::vector<TensorPart> model = {Whole("embedding", {50'000, 256})};
    for (int layer = 0; layer < 40; ++layer) {
      const std::string name = "layer" + std::to_string(layer);
      model.push_back(Whole(name + ".weight", {1024, 1024}));
      model.push_back(Whole(name + ".bias", {1024}));
      model.push_back(Whole(name + ".steps", {}));
    }
    const Ranks ranks(world, model);
    const auto plan = ValueOf(Plan(ranks));
    ExpectOnce(ranks, plan);
    EXPECT_LE(static_cast<double>(Largest(plan)), 1.1 * Mean(plan)) << world;
    std::size_t pieces = 0;
    for (const auto& rows : plan.ranks) pieces += rows.size();
    EXPECT_LE(pieces, model.size() + world) << "no more pieces than the balance needs";
  }
}

TEST(SavePlan, IsMadeInOnePassOverManySlices) {
  constexpr int kWorldSize = 16;
  constexpr int kTensors = 2000;
  Ranks ranks(kWorldSize);
  for (int rank = 0; rank < kWorldSize; ++rank) {
    for (int i = 0; i < kTensors; ++i) {
      ranks[static_cast<std::size_t>(rank)].push_back(*Sharded("tensor" + std::to_string(i), DType::kFloat32, {64, 8},
                                                               {.rank = rank, .world_size = kWorldSize}, i % 2));
    }
  }
  const auto plan = ValueOf(Plan(ranks));
  EXPECT_EQ(plan.ranks[12].size(), static_cast<std::size_t>(kTensors / 2))
      << "half of the slices of dimension 1 are empty";
  EXPECT_EQ(plan.ranks[0].size(), static_cast<std::size_t>(kTensors));
}

TEST(SavePlan, NamesContradictoryRanksAndTensors) {
  struct Case {
    Ranks ranks;
    std::vector<std::string> words;
  };
  TensorPart other_type = Whole("x", {4, 2});
  other_type.dtype = DType::kFloat64;
  const std::vector<Case> cases = {
      {{{Whole("x", {4, 2})}, {Whole("x", {4, 3})}},
       {"rank 1 on host-1 announces tensor 'x' as float32 [4, 3]", "rank 0 on host-0 as float32 [4, 2]"}},
      {{{Whole("x", {4, 2})}, {other_type}}, {"rank 1 on host-1", "'x' as float64"}},
      {{{Rows("x", {4, 2}, 0, 3)}, {Rows("x", {4, 2}, 2, 4)}},
       {"tensor 'x'", "rank 0 on host-0 and rank 1 on host-1 overlap"}},
      {{{Rows("x", {4, 2}, 0, 4)}, {Rows("x", {4, 2}, 2, 4)}}, {"overlap"}},
      {{{Rows("x", {4, 2}, 0, 1)}, {Rows("x", {4, 2}, 2, 4)}}, {"tensor 'x' of shape [4, 2]", "2 of its 8 elements"}},
      {{{}, {Rows("x", {4, 2}, 2, 6)}}, {"rank 1", "not within its shape [4, 2]: offsets [2, 0], sizes [4, 2]"}},
      {{{}, {Rows("x", {4, 2}, -1, 2)}}, {"rank 1", "not within its shape"}},
      {{{Whole("x", {4}), Whole("x", {4})}}, {"rank 0", "'x' twice"}},
      {{{Whole("x", {-4})}}, {"rank 0", "'x'", "makes no sense"}},
      {{{Whole("x", {1LL << 62, 1LL << 62})}}, {"rank 0", "'x'", "makes no sense"}},
      {{{Whole("\xff", {4})}}, {"rank 0", "UTF-8"}},
  };
  for (const Case& one : cases) {
    const Error error = ErrorOf(Plan(one.ranks));
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
    for (const std::string& words : one.words) EXPECT_THAT(error.message, HasSubstr(words));
  }
}

TEST(SavePlan, NamesARankWithAnotherSave) {
  const auto error_of = [](const internal::AnnouncedSave& other) {
    return ErrorOf(internal::PlanSave(
                       std::vector{internal::FormatAnnouncement(Save(0), {}), internal::FormatAnnouncement(other, {})}))
        .message;
  };
  auto other = Save(1);
  other.step = 8;
  EXPECT_THAT(error_of(other), AllOf(HasSubstr("rank 1 on host-1 saves step 8"), HasSubstr("rank 0 step 7")));
  other = Save(1);
  other.uri = "gs://bkt/else/";
  EXPECT_THAT(error_of(other), AllOf(HasSubstr("'gs://bkt/else/'"), HasSubstr("rank 0 to 'gs://bkt/run/'")));
  other = Save(1);
  other.mode = CommitMode::kReplace;
  EXPECT_THAT(error_of(other), HasSubstr("rank 1 on host-1 saves with CommitMode::kReplace"));
  internal::MessageWriter newer;
  newer.Number(internal::kAnnouncementVersion + 1);
  const auto error = ErrorOf(internal::PlanSave(std::vector{internal::FormatAnnouncement(Save(0), {}), newer.Take()}));
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("rank 1"), HasSubstr("version " + std::to_string(internal::kAnnouncementVersion + 1)),
                    HasSubstr("same version of gcsflux")));
}

TEST(SavePlan, RefusesAMalformedAnnouncement) {
  const std::string whole = internal::FormatAnnouncement(Save(), std::vector{Rows("x", {4, 2}, 0, 4)});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(ErrorOf(internal::PlanSave(std::vector{whole.substr(0, length)})).code, ErrorCode::kInvalidArgument)
        << length;
  }
}

TEST(SavePlan, OmitsEmptySlicesButNotEmptyTensors) {
  const auto plan = ValueOf(
      Plan({{Rows("x", {2, 2}, 0, 2), Whole("empty", {0, 2})}, {Rows("x", {2, 2}, 2, 2), Whole("empty", {0, 2})}}));
  EXPECT_EQ(plan.ranks[0].size() + plan.ranks[1].size(), 2U);
  EXPECT_THAT(ValueOf(Plan({{}, {}})).ranks[1], IsEmpty());
}

TEST(Sharded, HasNoRowsForAnInvalidRank) {
  for (const auto& [rows, rank, ranks] :
       std::vector<std::array<int, 3>>{{10, 0, 0}, {10, 2, 2}, {10, -1, 2}, {-10, 0, 2}}) {
    const auto [none_begin, none_end] = DivideRows(rows, {.rank = rank, .world_size = ranks});
    EXPECT_EQ(none_end - none_begin, 0) << rank << " of " << ranks;
  }
}

TEST(Sharded, DividesUnevenRows) {
  std::vector<std::int64_t> begins;
  begins.reserve(4);
  for (int rank = 0; rank < 4; ++rank) begins.push_back(DivideRows(10, {.rank = rank, .world_size = 4}).first);
  EXPECT_THAT(begins, ElementsAre(0, 3, 6, 8));
  EXPECT_EQ(DivideRows(10, {.rank = 3, .world_size = 4}).second, 10);
  const auto part = ValueOf(Sharded("x", DType::kInt8, {5, 10}, {.rank = 2, .world_size = 4}, 1));
  EXPECT_THAT(part.offsets, ElementsAre(0, 6));
  EXPECT_THAT(part.sizes, ElementsAre(5, 2));
  EXPECT_EQ(ValueOf(Sharded("x", DType::kInt8, {2}, {.rank = 3, .world_size = 4})).sizes, std::vector<std::int64_t>{0});
  EXPECT_EQ(ErrorOf(Sharded("x", DType::kInt8, {2}, {.rank = 0, .world_size = 4}, 1)).code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf(Sharded("x", DType::kInt8, {2}, {.rank = 4, .world_size = 4})).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gcsflux
