#include "store/listing.h"

#include <algorithm>
#include <utility>

#include "store/object_cursor.h"

namespace gcsflux::emulator {
namespace {

// To the first object behind all that start with `prefix`.
void SeekBehindPrefix(ObjectCursor& cursor, std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return cursor.SeekEnd();
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  cursor.Seek(prefix);
}

void SeekFirstOfPage(ObjectCursor& cursor, const ListQuery& query) {
  const std::string_view lowest = std::max<std::string_view>(query.prefix, query.start_offset);
  // A position before the query's own bounds comes from another query: the bounds hold all the same.
  if (!query.after || query.after->text < lowest) {
    const bool is_inside = query.after && query.after->is_prefix && lowest.starts_with(query.after->text);
    return is_inside ? SeekBehindPrefix(cursor, query.after->text) : cursor.Seek(lowest);
  }
  if (query.after->is_prefix) return SeekBehindPrefix(cursor, query.after->text);
  if (query.after->generation) return cursor.SeekBehind(query.after->text, *query.after->generation);
  cursor.SeekBehind(query.after->text);
}

// The end of a page that has something on it.
ListPosition LastOf(const ListPage& page, bool is_prefix_last, bool has_versions) {
  if (is_prefix_last) return {.is_prefix = true, .text = page.prefixes.back()};
  const Object& last = *page.objects.back();
  return {.text = last.name, .generation = has_versions ? std::optional(last.generation) : std::nullopt};
}

// Whether a page may go on here: within the prefix and before the end.
bool IsWithin(const ObjectCursor& cursor, const ListQuery& query) {
  if (cursor.is_at_end()) return false;
  const std::string& name = cursor.object()->name;
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

ListPage ListObjects(const ObjectSet& stored, const ListQuery& query, const ObjectSource* computed,
                     const GenerationSet* noncurrent) {
  ListPage page;
  bool is_prefix_last = false;
  ObjectCursor cursor(stored, computed, query.has_versions ? noncurrent : nullptr);
  SeekFirstOfPage(cursor, query);
  while (IsWithin(cursor, query)) {
    if (page.objects.size() + page.prefixes.size() == query.max_results) {
      page.next = LastOf(page, is_prefix_last, query.has_versions);
      break;
    }
    if (std::optional<std::string> folded = FoldedPrefix(cursor.object()->name, query)) {
      SeekBehindPrefix(cursor, *folded);
      page.prefixes.push_back(*std::move(folded));
      is_prefix_last = true;
    } else {
      page.objects.push_back(cursor.object());
      cursor.Next();
      is_prefix_last = false;
    }
  }
  return page;
}

}  // namespace gcsflux::emulator
