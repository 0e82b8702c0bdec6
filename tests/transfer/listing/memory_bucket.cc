#include "transfer/listing/memory_bucket.h"

#include <algorithm>

namespace gcsflux::internal::listing {

PageView MemoryPage::View() const {
  prefix_views_.assign(prefixes.begin(), prefixes.end());
  return {.names = names, .prefixes = prefix_views_, .next_page_token = next_page_token};
}

MemoryPage MemoryBucket::List(const PageCall& call, std::size_t items) const {
  MemoryPage page;
  auto next = std::lower_bound(names_.begin(), names_.end(), std::max(call.prefix, call.start_offset));
  std::string last;  // item shown
  if (!call.page_token.empty()) {
    last = call.page_token.substr(1);
    next = std::lower_bound(next, names_.end(), last);
  }
  for (; next != names_.end() && next->starts_with(call.prefix); ++next) {
    if (!call.end_offset.empty() && *next >= call.end_offset) break;
    const std::size_t cut = call.delimiter.empty() ? std::string::npos : next->find(call.delimiter, call.prefix.size());
    const bool is_directory = cut != std::string::npos;
    const std::string_view item = is_directory ? std::string_view(*next).substr(0, cut + 1) : *next;
    if (item <= last) continue;
    if (page.names.size() + page.prefixes.size() == items) {
      page.next_page_token = "@" + last;
      break;
    }
    last = item;
    if (is_directory) {
      page.prefixes.push_back(last);
    } else {
      page.names.push_back(item);
    }
  }
  return page;
}

}  // namespace gcsflux::internal::listing
