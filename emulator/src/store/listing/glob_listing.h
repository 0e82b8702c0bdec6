#pragma once

#include <functional>

#include "store/listing/listing.h"

namespace gcsflux::emulator {

/// Lists one page as ListObjects() does.
using PageSource = std::function<ListPage(const ListQuery&)>;

/// One page of what matches the query's glob, which must be there. `source` is asked for many objects at a time, and
/// nothing is matched meanwhile, so that a lock that it takes is held for moments: what is written while a page is made
/// is on it or not. A page ends early, and may be empty, where it has left out 100,000 names or taken about 0.2 s.
ListPage ListMatching(const ListQuery& query, const PageSource& source);

}  // namespace gcsflux::emulator
