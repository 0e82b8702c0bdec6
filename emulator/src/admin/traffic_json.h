#pragma once

#include <string>
#include <vector>

#include "gcsflux/emulator/traffic.h"

namespace gcsflux::emulator {

/// {"requests": N, "bytesIn": N, "bytesOut": N, "operations": [{"operation": "...", "status": N, ...}]}
std::string RenderCounters(const Counters& counters);

/// {"requests": [{"number": N, "method": "GET", ...}]}
/// What journal_queries.h finds in the records, and whether they are all that were meant.
std::string RenderAssertions(const std::vector<RequestRecord>& records, bool is_complete);
std::string RenderJournal(const std::vector<RequestRecord>& records);

}  // namespace gcsflux::emulator
