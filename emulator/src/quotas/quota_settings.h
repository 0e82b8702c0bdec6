#pragma once

#include <string>

#include "gcsflux/emulator/quotas.h"

namespace gcsflux::emulator {

/// Throws std::invalid_argument, which names the field.
void CheckQuotas(const Quotas& quotas);

/// The fields as ParseQuotas() reads them, and the counters beside them.
std::string RenderQuotas(const Quotas& quotas, const QuotaCounters& counters);

}  // namespace gcsflux::emulator
