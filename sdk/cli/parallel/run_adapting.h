#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "gcsflux/client.h"

namespace gcsflux::cli {

/// How many requests a command sends at a time.
struct Concurrency {
  /// Those of one large file, and of all large files together.
  int base = 16;
  /// More than `base` for small files and objects, if it is faster: as many as are found to be best, up to this number.
  int most = 256;
};

/// By --max_concurrency and --adapt_concurrency: the number that was given, or, without one, the number that is best.
/// Returns kInvalidArgument if one is out of its range.
Result<Concurrency> ConcurrencyFromFlags();

/// What a task needs.
struct TaskNeeds {
  int connections = 1;      ///< As many as it can use.
  std::uint64_t bytes = 0;  ///< That it moves through this process; 0 if the service moves them.
};

/// Tasks that are carried out at the same time.
struct AdaptingTasks {
  std::size_t count = 0;
  GateClass gate_class = GateClass::kWrite;  ///< Of most of their requests.
  std::function<TaskNeeds(std::size_t index)> needs;
  /// Carries one out over so many connections. Several threads call it.
  std::function<Result<void>(std::size_t index, int connections, const std::stop_token& stop)> perform;
};

/// Carries them out in their order, large ones first if they are in that order. The earliest failure is the result: it
/// asks the others to stop, and leaves out those that have not begun.
Result<void> RunAdapting(const Client& client, const Concurrency& concurrency, const AdaptingTasks& tasks);

}  // namespace gcsflux::cli
