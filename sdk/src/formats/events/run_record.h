#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The name of a run's record, in the directory of its event files.
inline constexpr char kRunRecordName[] = "run.json";

/// The values of one scalar.
struct RunMetric {
  double last = 0;        ///< May be infinite or NaN.
  std::int64_t step = 0;  ///< Of the last value.
  std::uint64_t count = 0;
  std::optional<double> least = {};  ///< Of the finite values.
  std::optional<double> most = {};

  void Add(double value, std::int64_t at_step);
};

/// What is known of a run without its event files. JSON: docs/observability.md.
struct RunRecord {
  std::string state = {};  ///< "running", "finished", "interrupted"
  std::chrono::system_clock::time_point started = {};
  std::chrono::system_clock::time_point updated = {};
  std::string revision = {};
  std::map<std::string, std::string> parameters = {};
  std::map<std::string, RunMetric, std::less<>> metrics = {};
  std::map<std::string, std::string> environment = {};
  std::map<std::string, double> client = {};   ///< Counters.
  std::map<std::string, double> dataset = {};  ///< Figures of a DatasetReport; empty if none was given.
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
};

/// As JSON, with a line end.
std::string FormatRunRecord(const RunRecord& record);

/// Fields that it does not know are passed over. Returns kUndecodable, with `name`, if it is no such JSON.
Result<RunRecord> ParseRunRecord(std::string_view json, const std::string& name);

}  // namespace gcsflux::internal
