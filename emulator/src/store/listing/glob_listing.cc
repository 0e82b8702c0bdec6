#include "store/listing/glob_listing.h"

#include <algorithm>
#include <utility>

#include "base/interruption.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kMaxLeftOut = 100'000;
constexpr std::uint64_t kMaxSteps = 50'000'000;

class MatchedPage {
 public:
  explicit MatchedPage(const ListQuery& query) : query_(query) {}

  /// Takes the matching objects and prefixes after `after`. Returns false at the page's end.
  bool Take(const ListPage& batch, const std::optional<ListPosition>& after) {
    passed_object_ = nullptr;
    passed_prefix_ = nullptr;
    auto prefix = batch.prefixes.begin();
    for (const ObjectPtr& object : batch.objects) {
      for (; prefix != batch.prefixes.end() && *prefix < object->name; ++prefix) {
        if (!TakeSlot(nullptr, &*prefix)) return End(after);
      }
      // Beside the object that has this very name, in one place of the page.
      const bool has_prefix = prefix != batch.prefixes.end() && *prefix == object->name;
      if (!TakeSlot(&object, has_prefix ? &*prefix : nullptr)) return End(after);
      if (has_prefix) ++prefix;
    }
    for (; prefix != batch.prefixes.end(); ++prefix) {
      if (!TakeSlot(nullptr, &*prefix)) return End(after);
    }
    return true;
  }

  ListPage Finish() { return std::move(page_); }

 private:
  // One of the two may be null. Returns false if the page ends before them.
  bool TakeSlot(const ObjectPtr* object, const std::string* prefix) {
    ThrowIfInterrupted();
    if (steps_ > kMaxSteps || left_out_ > kMaxLeftOut) return false;
    if (query_.glob->Matches(object != nullptr ? (*object)->name : *prefix, steps_)) {
      if (slots_ == query_.max_results) return false;
      ++slots_;
      if (object != nullptr) page_.objects.push_back(*object);
      if (prefix != nullptr) page_.prefixes.push_back(*prefix);
    } else {
      ++left_out_;
    }
    passed_object_ = object;
    passed_prefix_ = prefix;
    return true;
  }

  // The next page begins after the last one that was passed.
  bool End(const std::optional<ListPosition>& after) {
    page_.next = after;
    if (passed_object_ != nullptr) {
      page_.next = ListPosition{.text = (*passed_object_)->name};
      if (query_.has_versions) page_.next->generation = (*passed_object_)->generation;
    } else if (passed_prefix_ != nullptr) {
      page_.next = ListPosition{.is_prefix = true, .text = *passed_prefix_};
    }
    return false;
  }

  const ListQuery& query_;
  ListPage page_;
  std::size_t slots_ = 0;
  std::size_t left_out_ = 0;
  std::uint64_t steps_ = 0;
  const ObjectPtr* passed_object_ = nullptr;  // of the batch; both are null at its start
  const std::string* passed_prefix_ = nullptr;
};

}  // namespace

ListPage ListMatching(const ListQuery& query, const PageSource& source) {
  ListQuery next = query;
  next.max_results = std::clamp<std::size_t>(query.max_results + 1, 64, 1000);
  MatchedPage matched(query);
  while (true) {
    ListPage batch = source(next);
    if (!matched.Take(batch, next.after) || !batch.next) return matched.Finish();
    next.after = std::move(batch.next);
  }
}

}  // namespace gcsflux::emulator
