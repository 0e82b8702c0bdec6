#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gcsflux/composed_download.h"

namespace gcsflux {

/// An object that took long to arrive.
struct SlowObject {
  std::string name = {};    ///< "gs://bucket/name".
  double seconds = 0;       ///< From its request to its last byte.
  std::uint64_t bytes = 0;  ///< Its size.
};

/// An object that was left out, since it could not be used.
struct SkippedObject {
  std::string name = {};    ///< "gs://bucket/name".
  std::string reason = {};  ///< The error's message.
};

/// What a dataset has done since it was made: how fast it was, what held it up, and what it cost. In a child of fork()
/// what the parent did until then is included.
struct DatasetReport {
  double seconds = 0;         ///< Since the dataset was made, behind its listing.
  std::uint64_t epochs = 0;   ///< That were begun.
  std::uint64_t batches = 0;  ///< That the consumer took.
  std::uint64_t samples = 0;  ///< In them.
  std::uint64_t bytes = 0;    ///< Of their objects.

  /// The loop waited for its next batch. Under a DataLoader it is the workers that wait, and this is their sum.
  double wait_seconds = 0;
  double decode_seconds = 0;  ///< Objects were decoded: the sum over all threads that do it.

  /// Of ClientOptions::max_undelivered_bytes, over all datasets and streams of the client: fetched, and not yet taken.
  std::uint64_t held_bytes = 0;
  std::uint64_t max_held_bytes = 0;  ///< The most that there were.

  std::uint64_t skipped = 0;                        ///< Objects that were left out.
  std::vector<SkippedObject> skipped_objects = {};  ///< The first ten of them.
  std::vector<SlowObject> slowest = {};             ///< At most ten, the slowest first.

  // Of the client, meanwhile:
  std::uint64_t retries = 0;    ///< As Counters::retries.
  std::uint64_t throttled = 0;  ///< As Counters::throttled.
  std::uint64_t hedges = 0;     ///< As Counters::hedges.
  CompositionReport composition = {};

  std::uint64_t class_a_operations = 0;  ///< As Counters::class_a_operations.
  std::uint64_t class_b_operations = 0;  ///< As Counters::class_b_operations.
  double price = 0;                      ///< Of these operations, in US dollars: operation_prices.h.
};

/// The report for a terminal: at most 25 lines, each with its units; what did not happen is left out. Names and reasons
/// are shown without control characters, and are cut off where they are long.
std::string FormatReport(const DatasetReport& report);

}  // namespace gcsflux
