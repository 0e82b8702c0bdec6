#include "store/listing/listing.h"

#include <algorithm>
#include <utility>

#include "store/objects/object_cursor.h"
#include "store/objects/prefetch.h"

namespace gcsflux::emulator {
namespace {

// Moves to the first object after all that start with `prefix`.
void SeekBehindPrefix(ObjectCursor& cursor, std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return cursor.SeekEnd();
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  cursor.Seek(prefix);
}

// The text with which all names begin that match the query's glob.
std::string_view GlobPrefix(const ListQuery& query) {
  return query.glob ? std::string_view(query.glob->literal_prefix()) : std::string_view();
}

void SeekFirstOfPage(ObjectCursor& cursor, const ListQuery& query) {
  const std::string_view lowest = std::max<std::string_view>({query.prefix, query.start_offset, GlobPrefix(query)});
  // A position before the query's own bounds comes from another query. The bounds still hold.
  if (!query.after || query.after->text < lowest) {
    const bool is_inside = query.after && query.after->is_prefix && lowest.starts_with(query.after->text);
    return is_inside ? SeekBehindPrefix(cursor, query.after->text) : cursor.Seek(lowest);
  }
  if (query.after->is_prefix) return SeekBehindPrefix(cursor, query.after->text);
  if (query.after->generation) return cursor.SeekBehind(query.after->text, *query.after->generation);
  cursor.SeekBehind(query.after->text);
}

// Whether the page may continue here: within the prefix and before the end.
bool IsWithin(const ObjectCursor& cursor, const ListQuery& query) {
  if (cursor.is_at_end()) return false;
  const std::string& name = cursor.object()->name;
  return name.starts_with(query.prefix) && name.starts_with(GlobPrefix(query)) &&
         (query.end_offset.empty() || name < query.end_offset);
}

// The prefix that `name` is folded into, or nothing.
std::optional<std::string> FoldedPrefix(const std::string& name, const ListQuery& query) {
  if (query.delimiter.empty()) return std::nullopt;
  const std::size_t found = name.find(query.delimiter, query.prefix.size());
  if (found == std::string::npos) return std::nullopt;
  return name.substr(0, found + query.delimiter.size());
}

// Fills one page, starting at the cursor.
class PageBuilder {
 public:
  PageBuilder(const ListQuery& query, ObjectCursor& cursor) : query_(query), cursor_(cursor) {}

  ListPage Build() {
    while (IsWithin(cursor_, query_) && Step()) {
    }
    return std::move(page_);
  }

 private:
  // Takes the object at the cursor. Returns false at the page's end.
  bool Step() {
    const ObjectPtr& object = cursor_.object();  // valid until the cursor moves
    std::optional<std::string> folded = FoldedPrefix(object->name, query_);
    const bool is_folder = query_.has_folders && object->body == nullptr;
    if (is_folder && !folded) {
      cursor_.Next();
      return true;
    }
    const bool is_item = !folded || (query_.includes_trailing_delimiter && object->name == *folded && !is_folder);
    const bool is_shown = folded && IsShown(*folded);
    if (is_item || !is_shown) {
      // A prefix and the object of its name share a place on the page.
      if (slots_ == query_.max_results) return End();
      ++slots_;
      if (is_item) Show(object);
      if (folded && !is_shown) page_.prefixes.push_back(*folded);
    }
    is_prefix_last_ = !is_item;
    if (is_item) {
      cursor_.Next();
    } else {
      SeekBehindPrefix(cursor_, *folded);
      last_prefix_ = *std::move(folded);
    }
    return true;
  }

  void Show(const ObjectPtr& object) {
    // Most of what is asked of the object is elsewhere in memory and takes time to fetch. It arrives before the page is
    // written.
    Prefetch(object->name.data(), object->name.size());
    Prefetch(object->body.get(), sizeof(Body));
    page_.objects.push_back(object);
  }

  // If the object of its name is listed too, the prefix occurs again at the objects after that.
  [[nodiscard]] bool IsShown(const std::string& prefix) const {
    if (!page_.prefixes.empty()) return page_.prefixes.back() == prefix;
    return query_.includes_trailing_delimiter && query_.after && query_.after->text == prefix;
  }

  // The next page begins after the last one that this page passed.
  bool End() {
    if (is_prefix_last_) {
      page_.next = ListPosition{.is_prefix = true, .text = last_prefix_};
      return false;
    }
    const Object& last = *page_.objects.back();
    page_.next = ListPosition{.text = last.name};
    if (query_.has_versions) page_.next->generation = last.generation;
    return false;
  }

  const ListQuery& query_;
  ObjectCursor& cursor_;
  ListPage page_;
  std::size_t slots_ = 0;
  bool is_prefix_last_ = false;
  std::string last_prefix_;
};

}  // namespace

ListPage ListObjects(const ObjectSet& stored, const ListQuery& query, const ObjectSource* computed,
                     const GenerationSet* noncurrent) {
  ObjectCursor cursor(stored, computed, query.has_versions ? noncurrent : nullptr);
  SeekFirstOfPage(cursor, query);
  return PageBuilder(query, cursor).Build();
}

}  // namespace gcsflux::emulator
