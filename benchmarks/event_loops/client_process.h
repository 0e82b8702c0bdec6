#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace gcsflux::bench {

/// Flags of the program in_flight_client.
struct ClientRun {
  std::string way = {};
  std::string endpoint = {};
  std::string ca_file = {};
  std::size_t connections = 16;
  std::size_t warm_up = 0;
  std::size_t reads = 0;
  std::size_t object_bytes = 0;
  std::int64_t generation = 1;
};

/// By their names.
using Figures = std::map<std::string, double>;

/// Runs in_flight_client with the flags of this process's line that are not Google Benchmark's, and returns its
/// figures; nothing if it fails, with the reason on standard error. Thread-safe.
Figures RunClient(const ClientRun& run);

/// Path of a program in the directory of this one.
std::string ProgramBeside(const std::string& name);

}  // namespace gcsflux::bench
