#pragma once

#include <stop_token>

#include "cli/doctor/report.h"
#include "gcsflux/client.h"

namespace gcsflux::cli {

/// Writes a few objects (13 MB) under a name of its own below the prefix, reads, composes and moves them, measures, and
/// deletes them all, also after a failure or if `stop` is requested.
void CheckObjects(const Client& client, const ObjectName& place, const std::stop_token& stop, DoctorReport& report);

}  // namespace gcsflux::cli
