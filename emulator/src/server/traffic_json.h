#pragma once

#include <string>
#include <vector>

#include "gcsflux/emulator/traffic.h"

namespace gcsflux::emulator {

/// {"requests": N, "bytesIn": N, "bytesOut": N, "operations": [{"operation": "...", "status": N, ...}]}
std::string RenderCounters(const Counters& counters);

/// {"requests": [{"number": N, "method": "GET", ...}]}
std::string RenderJournal(const std::vector<RequestRecord>& records);

}  // namespace gcsflux::emulator
