// The decisions of kAuto, in simulated time: never much slower than the better of kOn and kOff.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "transfer/composition/simulation.h"

namespace gcsflux {
namespace {

using testing::SimulatedDownloader;
using testing::SimulatedService;

struct Cell {
  std::uint64_t bytes;
  double compose;
  double writes_per_second;
  std::string Name() const {
    return std::to_string(bytes >> 10) + " KiB, compose " + std::to_string(static_cast<int>(compose * 1e3)) + " ms, " +
           std::to_string(static_cast<int>(writes_per_second)) + " writes/s";
  }
};

std::vector<Cell> Cells() {
  std::vector<Cell> cells;
  for (const std::uint64_t kib : {100U, 500U, 3U << 10, 150U << 10}) {
    for (const double compose : {0.03, 0.1, 0.4}) cells.push_back({kib << 10, compose, 0});
    cells.push_back({kib << 10, 0.1, 100});
  }
  return cells;
}

// Seconds of the batches after the first `warm` ones, over several seeds.
double Seconds(const Cell& cell, CompositionMode mode, std::size_t objects, int warm, int measured) {
  const SimulatedService service{.compose = cell.compose, .writes_per_second = cell.writes_per_second};
  double sum = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SimulatedDownloader downloader(service, mode, 16, seed);
    for (int i = 0; i < warm; ++i) downloader.Download(objects, cell.bytes);
    for (int i = 0; i < measured; ++i) sum += downloader.Download(objects, cell.bytes);
  }
  return sum;
}

void ExpectAutoIsGood(std::size_t objects, int warm, int measured) {
  for (const Cell& cell : Cells()) {
    const double off = Seconds(cell, CompositionMode::kOff, objects, warm, measured);
    const double on = Seconds(cell, CompositionMode::kOn, objects, warm, measured);
    const double automatic = Seconds(cell, CompositionMode::kAuto, objects, warm, measured);
    EXPECT_LE(automatic, 1.1 * std::min(on, off))
        << cell.Name() << ", " << objects << " objects: kOff " << off << ", kOn " << on;
  }
}

TEST(AutoComposition, IsNeverMuchSlowerThanTheBetterMode) { ExpectAutoIsGood(2000, 0, 1); }

TEST(AutoComposition, SavesMostOfTheTimeOfSmallObjects) {
  const Cell cell{.bytes = 100 << 10, .compose = 0.1, .writes_per_second = 0};
  EXPECT_LT(4 * Seconds(cell, CompositionMode::kAuto, 2000, 0, 1), Seconds(cell, CompositionMode::kOff, 2000, 0, 1));
}

// 64 objects over 16 connections are 16 composites of 4, not 2 of 32 that leave 14 connections idle.
TEST(AutoComposition, DividesFewObjectsAmongAllConnections) {
  SimulatedDownloader downloader({}, CompositionMode::kOn, 16, 1);
  downloader.Download(64, 3 << 20);
  EXPECT_EQ(downloader.composites(), 16U);
}

TEST(AutoComposition, ProbesTheTimeOfAComposeIfItDecides) {
  SimulatedDownloader downloader({}, CompositionMode::kAuto, 16, 1);
  downloader.Download(64, 100 << 10);
  EXPECT_EQ(downloader.composites(), 0U);
  EXPECT_EQ(downloader.probes(), 1U);
  downloader.Download(64, 100 << 10);
  downloader.Download(64, 100 << 10);
  EXPECT_GT(downloader.composites(), 0U);
}

TEST(AutoComposition, SkipsProbesThatCannotPay) {
  SimulatedDownloader downloader({}, CompositionMode::kAuto, 16, 1);
  for (int i = 0; i < 5; ++i) downloader.Download(16, 100 << 10);
  EXPECT_EQ(downloader.composites() + downloader.probes(), 0U);
}

// One without an answer is slower than any with one.
TEST(AutoComposition, StopsComposingWhileComposesHang) {
  const SimulatedService service{.compose = 60};
  SimulatedDownloader downloader(service, CompositionMode::kAuto, 16, 1);
  downloader.Download(4000, 100 << 10);
  EXPECT_LE(downloader.composites(), 16U);
}

TEST(AutoComposition, IsNeverMuchSlowerInLaterBatches) {
  for (const std::size_t objects : {8U, 16U, 32U, 64U, 128U, 256U, 512U}) ExpectAutoIsGood(objects, 3, 5);
}

}  // namespace
}  // namespace gcsflux
