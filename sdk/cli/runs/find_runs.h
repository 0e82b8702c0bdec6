#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/events/run_record.h"
#include "gcsflux/client.h"

namespace gcsflux::cli {

/// A value of a scalar.
struct RunPoint {
  std::int64_t step = 0;
  double wall_time = 0;  ///< Seconds since 1970.
  float value = 0;       ///< May be infinite or NaN.
};

/// A directory with event files of TensorBoard, or with a run's record.
struct FoundRun {
  std::string name = {};                           ///< Its path below what was searched.
  std::optional<internal::RunRecord> record = {};  ///< Absent for runs that other programs wrote.
  std::map<std::string, internal::RunMetric, std::less<>> metrics = {};
  std::map<std::string, std::vector<RunPoint>, std::less<>> series =
      {};  ///< By step. Empty if they were not requested.

  /// The highest of the metrics' last steps.
  [[nodiscard]] std::int64_t LastStep() const;
};

/// The runs in the directory `prefix` and below it, by name. With `reads_events`, the event files of all runs are read;
/// otherwise only of those without a record. Of a step that occurs twice, because the run was resumed, the later value
/// counts. Returns kEmptyPrefix if there are none.
Result<std::vector<FoundRun>> FindRuns(const Client& client, const ObjectName& prefix, bool reads_events,
                                       const std::stop_token& stop);

}  // namespace gcsflux::cli
