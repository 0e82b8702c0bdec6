#pragma once

#include <cstddef>
#include <functional>

#include "shards/held_sample.h"
#include "transfer/download/group.h"
#include "transfer/downloader/source_window.h"

namespace gcsflux::internal {

/// How sources are fetched whose bytes were read already. `take` gives those of a source, once; it may be called by
/// several threads at the same time. The sources must outlive the fetches.
FetchMethod HeldMethod(SourceWindow& sources, std::function<HeldSample(std::size_t index)> take);

}  // namespace gcsflux::internal
