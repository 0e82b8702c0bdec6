#pragma once

#include "http/http_message.h"
#include "quotas/live_quotas.h"

namespace gcsflux::emulator {

/// The 429 for a verdict that refuses.
HttpResponse QuotaRefusal(const QuotaVerdict& verdict, const QuotaRequest& request, bool is_xml);

}  // namespace gcsflux::emulator
