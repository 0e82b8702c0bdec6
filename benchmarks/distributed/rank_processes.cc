#include "distributed/rank_processes.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "bare_curl.h"
#include "support/child_program.h"
#include "support/test_directory.h"

namespace gcsflux::bench {
namespace {

using testing::ChildProgram;

std::vector<std::string> Flags(const StreamService& service, const RankWork& work) {
  std::vector<std::string> flags = {"--endpoint=" + service.endpoint(),
                                    "--task=" + work.task,
                                    "--tensors=" + std::to_string(work.tensors),
                                    "--rows=" + std::to_string(work.rows),
                                    "--columns=" + std::to_string(work.columns),
                                    "--dimension=" + std::to_string(work.dimension),
                                    "--per_rank=" + std::to_string(kConnectionsPerRank)};
  flags.insert(flags.end(), work.more.begin(), work.more.end());
  return flags;
}

}  // namespace

std::map<std::string, double> RunRanks(const StreamService& service, const RankWork& work) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bench_rank";
  const testing::TestDirectory place;
  std::vector<std::unique_ptr<ChildProgram>> ranks;
  ranks.reserve(static_cast<std::size_t>(work.world_size));
  for (int rank = 0; rank < work.world_size; ++rank) {
    ranks.push_back(std::make_unique<ChildProgram>(
        program, Flags(service, work),
        std::vector<std::string>{"RANK=" + std::to_string(rank), "WORLD_SIZE=" + std::to_string(work.world_size),
                                 "MASTER_ADDR=127.0.0.1", "GCSFLUX_STORE_FILE=" + (place.path() / "store").string()}));
  }
  std::map<std::string, double> largest;
  for (const auto& rank : ranks) {
    std::istringstream output(rank->ReadOutput());
    if (rank->Wait() != 0) throw std::runtime_error(rank->ReadErrors());
    std::string name;
    for (double value = 0; output >> name >> value;) largest[name] = std::max(largest[name], value);
  }
  return largest;
}

std::uint64_t BytesRead(const StreamService& service) {
  std::string text;
  if (!BareCurl().Get(service.endpoint() + "/_emulator/counters", text)) throw std::runtime_error("no counters");
  const auto counters = nlohmann::json::parse(text);
  std::uint64_t bytes = 0;
  for (const auto& operation : counters.at("operations")) {
    if (operation.at("operation") == "storage.objects.get") bytes += operation.at("bytesOut").get<std::uint64_t>();
  }
  return bytes;
}

}  // namespace gcsflux::bench
