#pragma once

#include <string>

#include "gcsflux/emulator/quotas.h"

namespace gcsflux::emulator {

/// Throws std::invalid_argument, which names the field.
void CheckQuotas(const Quotas& quotas);

/// The fields in the form that ParseQuotas() reads, and the counters.
std::string RenderQuotas(const Quotas& quotas, const QuotaCounters& counters);

}  // namespace gcsflux::emulator
