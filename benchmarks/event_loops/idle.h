#pragma once

#include "event_loops/ways.h"

namespace gcsflux::bench {

/// The costs of an idle client with a Downloader: the average of 16.
struct IdleFigures {
  double wake_ups_per_second = 0;  ///< Of all 16 and their threads.
  double made_kib = 0;             ///< Resident memory of a client before its first read.
  double used_kib = 0;             ///< Of a client that has read one object.
  int threads = 0;                 ///< Of the process, including its main thread.
};

/// Throws std::runtime_error if a client cannot be made or a read fails. Takes a little more than 2 s.
IdleFigures MeasureIdle(const Load& load);

}  // namespace gcsflux::bench
