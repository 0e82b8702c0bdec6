#pragma once

#include <string>
#include <vector>

#include "gcsflux/emulator/traffic.h"

namespace gcsflux::emulator {

/// {"requests": N, "bytesIn": N, "bytesOut": N, "operations": [{"operation": "...", "status": N, ...}]}
std::string RenderCounters(const Counters& counters);

/// {"requests": [{"number": N, "method": "GET", ...}]} The results of journal_queries.h on the records, and whether no
/// wanted record is missing.
std::string RenderAssertions(const std::vector<RequestRecord>& records, bool is_complete);
std::string RenderJournal(const std::vector<RequestRecord>& records);

}  // namespace gcsflux::emulator
