#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "transfer/listing/scheduler.h"

namespace gcsflux::internal::listing {

/// A page as the scheduler sees it. The views are into the bucket's names, prefixes are its own.
struct MemoryPage {
  std::vector<std::string_view> names = {};
  std::vector<std::string> prefixes = {};
  std::string next_page_token = {};

  /// Valid and unchanged as long as the page exists.
  PageView View() const;

 private:
  mutable std::vector<std::string_view> prefix_views_ = {};
};

/// Lists a sorted set of names as GCS does: prefix, delimiter, offsets, tokens. A token is the last item shown, so that
/// it works in another set too, where names have appeared or vanished.
class MemoryBucket {
 public:
  explicit MemoryBucket(const std::vector<std::string>& names) : names_(names) {}
  /// At most `items` of the requested page.
  [[nodiscard]] MemoryPage List(const PageCall& call, std::size_t items) const;

 private:
  const std::vector<std::string>& names_;
};

}  // namespace gcsflux::internal::listing
