#pragma once

#include "cli/doctor/report.h"
#include "gcsflux/client.h"

namespace gcsflux::cli {

/// Whether the bucket exists and what its settings mean for training. Returns the error if the service or the bucket
/// cannot be reached at all, so that no other check makes sense.
Result<void> CheckSettings(const Client& client, const ObjectName& place, DoctorReport& report);

/// What the caller may do, by task.
void CheckPermissions(const Client& client, const ObjectName& place, DoctorReport& report);

}  // namespace gcsflux::cli
