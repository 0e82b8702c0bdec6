#include "store/listing.h"

#include <algorithm>
#include <utility>

namespace gcsflux::emulator {
namespace {

// The first object behind all that start with `prefix`.
ObjectSet::const_iterator BehindPrefix(const ObjectSet& objects, std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return objects.end();
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return objects.lower_bound(std::string_view(prefix));
}

ObjectSet::const_iterator FirstOfPage(const ObjectSet& objects, const ListQuery& query) {
  const std::string_view lowest = std::max<std::string_view>(query.prefix, query.start_offset);
  // A position before the query's own bounds comes from another query: the bounds hold all the same.
  if (!query.after || query.after->text < lowest) {
    const bool is_inside = query.after && query.after->is_prefix && lowest.starts_with(query.after->text);
    return is_inside ? BehindPrefix(objects, query.after->text) : objects.lower_bound(lowest);
  }
  if (query.after->is_prefix) return BehindPrefix(objects, query.after->text);
  return objects.upper_bound(std::string_view(query.after->text));
}

// Whether a page may go on at `at`: within the prefix and before the end.
bool IsWithin(const ObjectSet& objects, ObjectSet::const_iterator at, const ListQuery& query) {
  if (at == objects.end()) return false;
  const std::string& name = (*at)->name;
  return name.starts_with(query.prefix) && (query.end_offset.empty() || name < query.end_offset);
}

// What `name` is folded into, or nothing.
std::optional<std::string> FoldedPrefix(const std::string& name, const ListQuery& query) {
  if (query.delimiter.empty()) return std::nullopt;
  const std::size_t found = name.find(query.delimiter, query.prefix.size());
  if (found == std::string::npos) return std::nullopt;
  return name.substr(0, found + query.delimiter.size());
}

}  // namespace

ListPage ListObjects(const ObjectSet& objects, const ListQuery& query) {
  ListPage page;
  ListPosition last;
  auto at = FirstOfPage(objects, query);
  while (IsWithin(objects, at, query)) {
    if (page.objects.size() + page.prefixes.size() == query.max_results) {
      page.next = std::move(last);
      break;
    }
    if (std::optional<std::string> folded = FoldedPrefix((*at)->name, query)) {
      at = BehindPrefix(objects, *folded);
      last = ListPosition{true, *folded};
      page.prefixes.push_back(*std::move(folded));
    } else {
      last = ListPosition{false, (*at)->name};
      page.objects.push_back(*at++);
    }
  }
  return page;
}

}  // namespace gcsflux::emulator
