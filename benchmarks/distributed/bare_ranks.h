#pragma once

#include <cstdint>
#include <string>

namespace gcsflux::bench {

/// The baseline of a rank: `connections` threads, each with a bare libcurl handle, move an object each, all of the same
/// size. Nothing is summed or verified.
struct BareRank {
  std::string endpoint = {};
  std::string prefix = {};  ///< Of the objects' names.
  std::uint64_t bytes = 0;  ///< Of all objects together.
  int connections = 8;
};

/// False unless all bytes were moved. The memory exists before.
class BareTransfer {
 public:
  explicit BareTransfer(const BareRank& rank);
  [[nodiscard]] bool Write();
  [[nodiscard]] bool Read();

 private:
  template <class Move>
  bool OnAllConnections(const Move& move);

  const BareRank rank_;
  const std::size_t object_bytes_;
  std::string memory_;
};

}  // namespace gcsflux::bench
