#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gcsflux/composed_download.h"

namespace gcsflux {

/// An object that took long to arrive.
struct SlowObject {
  std::string name = {};                 ///< "gs://bucket/name".
  std::chrono::nanoseconds duration{0};  ///< From its request to its last byte.
  std::uint64_t bytes = 0;               ///< Its size.
};

/// An object that was left out because it could not be used.
struct SkippedObject {
  std::string name = {};    ///< "gs://bucket/name".
  std::string reason = {};  ///< The error's message.
};

/// What a dataset has done since it was made: its speed, what slowed it down, and its cost. In a child of fork() it
/// includes what the parent had done.
struct DatasetReport {
  std::chrono::nanoseconds elapsed{0};  ///< Since the dataset was made, after its listing.
  /// Different epochs of which the loop took a batch. Batches that are requested beside the order of an epoch, by
  /// indices or by a sampler other than an EpochSampler, are of none.
  std::uint64_t epochs = 0;
  /// Batches that the loop took, or the workers of its DataLoader. A batch that failed is not counted.
  std::uint64_t batches = 0;
  std::uint64_t samples = 0;  ///< Samples in these batches.
  std::uint64_t bytes = 0;    ///< Bytes of the objects of these samples.

  /// Time that the loop waited for its next batch. Under a DataLoader its workers wait, and this is their sum.
  std::chrono::nanoseconds wait_time{0};
  std::chrono::nanoseconds decode_time{0};  ///< Time to decode objects: the sum over all threads.

  /// Bytes that are fetched and not yet taken, over all datasets and streams of the client:
  /// ClientOptions::max_undelivered_bytes bounds them.
  std::uint64_t held_bytes = 0;
  std::uint64_t max_held_bytes = 0;  ///< The highest value of held_bytes.

  /// Samples that a transform has made and the loop has not requested yet, and their bytes. The bounds are
  /// DatasetOptions::max_decoded_samples and max_decoded_bytes.
  std::uint64_t decoded_samples = 0;
  std::uint64_t decoded_bytes = 0;
  std::uint64_t max_decoded_bytes = 0;  ///< The highest value of decoded_bytes.

  std::uint64_t skipped = 0;                        ///< Objects that were left out.
  std::vector<SkippedObject> skipped_objects = {};  ///< The first ten of them.
  std::vector<SlowObject> slowest = {};             ///< At most ten, the slowest first.

  // From the client's counters, for the same time:
  std::uint64_t retries = 0;    ///< As Counters::retries.
  std::uint64_t throttled = 0;  ///< As Counters::throttled.
  std::uint64_t hedges = 0;     ///< As Counters::hedges.
  CompositionReport composition = {};

  std::uint64_t class_a_operations = 0;  ///< As Counters::class_a_operations.
  std::uint64_t class_b_operations = 0;  ///< As Counters::class_b_operations.
  double price = 0;                      ///< Price of these operations, in US dollars: operation_prices.h.
};

/// Formats the report for a terminal: at most 25 lines, each with its units. Events that did not happen are left out.
/// Names and reasons are shown without control characters, and long ones are cut off.
std::string FormatReport(const DatasetReport& report);

}  // namespace gcsflux
