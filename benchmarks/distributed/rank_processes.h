#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "object_streams/service.h"

namespace gcsflux::bench {

// 32 connections have together the rate of the 16 in bench_object_streams.
inline constexpr double kStreamReadMbps = 30;
inline constexpr double kStreamWriteMbps = 12.5;
inline constexpr int kConnectionsPerRank = 8;

/// Flags of the program bench_rank, which is each rank.
struct RankWork {
  std::string task = {};
  int world_size = 1;
  std::int64_t tensors = 1;
  std::int64_t rows = 4096;
  std::int64_t columns = 4096;
  int dimension = 0;
  std::vector<std::string> more = {};  ///< Other flags.

  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(tensors * rows * columns) * 4; }
};

/// Starts the ranks, waits for all, and returns the largest of each figure: the slowest rank's time. Throws
/// std::runtime_error with the rank's message if one fails.
std::map<std::string, double> RunRanks(const StreamService& service, const RankWork& work);

/// Bytes of the answers to reads of objects since the emulator's start.
std::uint64_t BytesRead(const StreamService& service);

}  // namespace gcsflux::bench
