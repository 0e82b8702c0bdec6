#pragma once

#include "gcsflux/client.h"

namespace gcsflux::campaign {

/// Deletes all objects under a prefix; repeats what faults have ended.
void RemoveAll(const Client& client, const ObjectName& prefix);

}  // namespace gcsflux::campaign
