// Processes that read epochs are killed 20 times, while requests fail, and continue at a cursor, where they can on
// another number of ranks. Over all of them each epoch has the samples of one that nothing disturbed.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <random>
#include <sstream>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/shards.h"
#include "shards/tar_archives.h"
#include "support/child_program.h"

namespace gcsflux {
namespace {

constexpr int kSamples = 60;  // Of each kind: of the objects, and in shards.
constexpr int kKills = 20;

struct Kind {
  std::string name;
  std::vector<int> ranks;  ///< Of one start after the other.
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class KilledEpochsTest : public ::testing::TestWithParam<Kind> {
 protected:
  /// How often each sample was used in an epoch.
  using Uses = std::map<long, std::map<long, int>>;

  void SetUp() override {
    ASSERT_TRUE(client_.InsertBucket("kills").ok());
    for (int i = 0; i < kSamples; ++i) Put("objects/" + std::to_string(1000 + i), std::to_string(i));
    for (int shard = 0; shard < 5; ++shard) {
      std::vector<testing::TarFile> files;
      for (int i = shard * 12; i < shard * 12 + 12; ++i) {
        files.push_back({std::to_string(1000 + i) + ".txt", std::to_string(kSamples + i)});
      }
      for (const char* folder : {"indexed/", "scanned/"}) {
        Put(folder + std::to_string(shard) + ".tar", testing::TarOf(files));
      }
    }
    ASSERT_TRUE(IndexShards(client_, {"kills", "indexed/"}).ok());
  }
  void Put(const std::string& name, const std::string& bytes) const {
    ASSERT_TRUE(client_.InsertObject({"kills", name}, AsBytes(bytes)).ok());
  }

  [[nodiscard]] std::unique_ptr<testing::ChildProgram> Start(int rank, int ranks, const std::string& cursor) const {
    std::vector<std::string> arguments = {emulator_.endpoint(), GetParam().name, std::to_string(rank),
                                          std::to_string(ranks)};
    if (!cursor.empty()) arguments.push_back(cursor);
    return std::make_unique<testing::ChildProgram>(GCSFLUX_EPOCHS_PROGRAM, arguments);
  }

  struct Place {
    std::string cursor;
    long epoch = 0;  ///< Of the last sample before it.
  };

  // Counts the samples of a line, and returns the place behind them.
  static Place Count(const std::string& line, Uses& uses) {
    const std::size_t tab = line.find('\t');
    std::istringstream samples(line.substr(0, tab));
    long number = 0;
    long epoch = 0;
    for (char at = 0; samples >> number >> at >> epoch;) ++uses[epoch][number];
    return {tab == line.npos ? "" : line.substr(tab + 1), epoch};
  }

  // The first epochs of a process that nothing disturbs.
  [[nodiscard]] Uses Undisturbed(long epochs) const {
    Uses uses;
    const auto program = Start(0, 1, "");
    while (!uses.contains(epochs)) {
      const std::string line = program->ReadOutputLine();
      if (line.empty()) return ADD_FAILURE() << program->ReadErrors(), Uses();
      Count(line, uses);
    }
    uses.erase(epochs);
    program->Signal(SIGKILL);
    program->Wait();
    return uses;
  }

  emulator::Emulator emulator_;
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(), .project = "p"});
};

TEST_P(KilledEpochsTest, HaveEachSampleAsOftenAsUndisturbedOnes) {
  const emulator::FaultMatch some{.operation = "storage.objects.get", .probability = 0.2};
  emulator_.faults().Load({.seed = 5,
                           .rules = {{.name = "fails", .match = some, .action = {.type = "status", .status = 503}},
                                     {.name = "cut", .match = some, .action = {.type = "cut", .after_bytes = 1}}}});
  std::mt19937 random(3);
  Uses uses;
  std::vector<Place> places;  // Of the ranks.
  for (int kill = 0; kill < kKills; ++kill) {
    const std::vector<int>& worlds = GetParam().ranks;
    const int ranks = worlds[static_cast<std::size_t>(kill) % worlds.size()];
    const bool is_same = std::cmp_equal(places.size(), ranks);
    std::vector<std::unique_ptr<testing::ChildProgram>> programs;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string cursor = places.empty() ? "" : places[is_same ? static_cast<std::size_t>(rank) : 0].cursor;
      programs.push_back(Start(rank, ranks, cursor));
    }
    // What a rank has printed beyond these lines is lost, as the work of a process that saved its last step here.
    const unsigned batches = 1 + random() % 4;
    places.clear();
    for (const auto& program : programs) {
      Place place;
      for (unsigned i = 0; i < batches; ++i) place = Count(program->ReadOutputLine(), uses);
      program->Signal(SIGKILL);
      ASSERT_EQ(program->Wait(), -SIGKILL) << program->ReadErrors();
      places.push_back(place);
    }
  }
  EXPECT_GE(emulator_.faults().Fired("fails"), 1U);
  EXPECT_GE(emulator_.faults().Fired("cut"), 1U);
  emulator_.faults().Clear();
  // Ranks that read shards without an index go on alone, and are not in the same epoch.
  const long whole = std::ranges::min_element(places, {}, &Place::epoch)->epoch;
  ASSERT_GE(whole, 1);
  uses.erase(uses.lower_bound(whole), uses.end());
  EXPECT_EQ(uses, Undisturbed(whole));
}

// Shards without an index are continued by as many ranks as before.
INSTANTIATE_TEST_SUITE_P(Kinds, KilledEpochsTest,
                         ::testing::Values(Kind{"indexed", {1, 2, 4}}, Kind{"mix", {1, 2}}, Kind{"scanned", {2}}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace gcsflux
