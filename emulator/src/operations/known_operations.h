#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "operations/traffic_class.h"

namespace gcsflux::emulator {

// What the table of operations says about a name and a phase, as the journal shows them.

/// Nothing if the name is none of the service's operations.
std::optional<TrafficClass> ClassOf(std::string_view operation, std::string_view phase);

/// Whether the request makes, changes or deletes an object if it succeeds.
bool MutatesObject(std::string_view operation, std::string_view phase);

/// The names of all operations in alphabetical order: those that are served, and those that are refused with 501. They
/// are never destroyed.
const std::vector<std::string_view>& OperationNames();

/// Whether a retry test may have instructions for the method: "storage.objects.get", say.
bool IsRetryMethod(std::string_view method);

/// The name by which retry tests count an operation. It may be one that no test can use. All requests of an upload in
/// parts count as an insert, except the one that aborts it.
std::string_view RetryMethodOf(std::string_view operation);

}  // namespace gcsflux::emulator
