#pragma once

#include <functional>

#include "store/listing/listing.h"

namespace gcsflux::emulator {

/// Lists one page as ListObjects() does.
using PageSource = std::function<ListPage(const ListQuery&)>;

/// One page of the matches of the query's glob, which must be set. `source` is asked for many objects at a time, and
/// nothing is matched meanwhile, so its lock is held for moments only. An object that is written while a page is made
/// may be on it or not. A page ends early, and may be empty, if it has left out 100,000 names or taken about 0.2 s.
ListPage ListMatching(const ListQuery& query, const PageSource& source);

}  // namespace gcsflux::emulator
