#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "base/or_error.h"
#include "run_cases/run_case.h"

namespace gcsflux::conformance {

/// Where a run writes, and what it recorded there, so that a later one can remove what a killed one left.
///
/// With buckets of its own, a run makes the bucket "PREFIX-RUN", and its cases have "PREFIX-RUN-NUMBER". In a shared
/// bucket, all is below "PREFIX-RUN/". The marker is the object "conformance-run.json" in the one, below the other. It
/// says which run wrote it, and until when that can be running.
struct RunPlace {
  std::string prefix = {};
  std::string shared_bucket = {};  ///< Empty if the cases have buckets of their own.
};

/// Makes the marker. `ends_at` is in seconds since 1970.
OrError<void> MakeMarker(const Service& service, const RunPlace& place, const std::string& run, std::int64_t ends_at);

/// Removes the marker, after everything else.
OrError<void> RemoveMarker(const Service& service, const RunPlace& place, const std::string& run);

struct Cleaned {
  int runs = 0;     ///< Removed, with their markers.
  int running = 0;  ///< Left, because they may be running still at `now`.
  int failed = 0;   ///< Something of them is left.
};

/// Removes what runs with this prefix have left. A run is known by its marker: a bucket or an object that only has such
/// a name is not touched. Prints a line for each.
OrError<Cleaned> CleanRuns(const Service& service, const RunPlace& place, std::int64_t now, std::ostream& out);

}  // namespace gcsflux::conformance
