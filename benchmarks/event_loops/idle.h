#pragma once

#include "event_loops/ways.h"

namespace gcsflux::bench {

/// What a client with a Downloader costs while it does nothing: of 16 of them, each.
struct IdleFigures {
  double wake_ups_per_second = 0;  ///< Of all 16 and their threads.
  double made_kib = 0;             ///< Resident memory of one that has read nothing yet.
  double used_kib = 0;             ///< Of one that has read one object.
  int threads = 0;                 ///< Of the process, its main thread with them.
};

/// Throws std::runtime_error where a client cannot be made or a read fails. Takes 2 s and a little.
IdleFigures MeasureIdle(const Load& load);

}  // namespace gcsflux::bench
