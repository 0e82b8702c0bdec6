#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "gcsflux/epoch.h"
#include "gcsflux/options.h"
#include "gcsflux/result.h"

// The values that options may have: the one place for the checks of the calls that take them, of their flags, and for
// the flags' help. Defaults are the options' own.
namespace gcsflux::internal {

inline constexpr double kYearInSeconds = 365.0 * 24 * 3600;

struct OptionRange {
  std::string_view flag;  ///< Of retries without the kind: "retry_budget" is the range of list_retry_budget and others.
  double least;
  double most = std::numeric_limits<double>::infinity();
};

/// Every flag with a number, and so its option.
inline constexpr OptionRange kOptionRanges[] = {
    {"batch_size", 1, kMaxBatchSize},
    {"cache_bytes", 0},
    {"class_a_price_per_1000", 0, 1e6},
    {"class_b_price_per_1000", 0, 1e6},
    {"connect_timeout_s", 0.001, kYearInSeconds},
    {"decode_threads", 0, 1024},
    {"hedge_budget", 0, 1},
    {"hedge_min_stall_s", 0.001, kYearInSeconds},
    {"hedge_stall_factor", 1, 1000},
    {"io_threads", 1, kMaxIoThreads},
    {"list_max_concurrency", 1, kMaxConcurrency},
    {"listing_max_age_s", 0, kYearInSeconds},
    {"max_composite_bytes", 0},
    {"max_concurrency", 1, kMaxConcurrency},
    {"max_decoded_bytes", 0},
    {"max_decoded_samples", 0},
    {"max_idle_connections", 0, kMaxConcurrency},
    {"max_skipped", 0},
    {"max_undelivered_bytes", 0},
    {"part_bytes", 5U << 20, 5.0 * (1U << 30)},
    {"part_memory_bytes", 5U << 20},
    {"read_ahead_bytes", 1},
    {"retry_budget", 0, 100},
    {"retry_deadline_s", 0, kYearInSeconds},
    {"retry_initial_delay_s", 0, kYearInSeconds},
    {"retry_jitter", 0, 1},
    {"retry_max_attempts", 1, std::numeric_limits<int>::max()},
    {"retry_max_delay_s", 0, kYearInSeconds},
    {"retry_multiplier", 1, 100},
    {"shuffle_buffer", 1},
    {"stall_timeout_s", 1},
    {"range_bytes", 0},
    {"upload_chunk_bytes", 1, 4.0 * (1U << 30)},
    {"upload_max_concurrency", 1, kMaxConcurrency},
};

/// The range of the option that this flag sets. Does not compile for a flag without one.
consteval OptionRange RangeOf(std::string_view flag) {
  for (const OptionRange& range : kOptionRanges) {
    if (range.flag == flag) return range;
  }
  throw "this option has no range";
}

/// Null if the flag has no range.
const OptionRange* FindRange(std::string_view flag);

/// "from 1 to 100" or "at least 1", and the unit of a flag that counts seconds.
std::string RangeText(const OptionRange& range);

struct RangedOption {
  template <class Number>
  RangedOption(std::string_view option, const OptionRange& its_range, Number its_value)
      : name(option), range(its_range), value(static_cast<double>(its_value)) {}

  std::string_view name;
  OptionRange range;
  double value;
};

/// The first that is out of its range is kInvalidArgument: "NAME must be from 1 to 100". Not a number is out of every
/// range.
Result<void> CheckRanges(std::initializer_list<RangedOption> options);

}  // namespace gcsflux::internal
