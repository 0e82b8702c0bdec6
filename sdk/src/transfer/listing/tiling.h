#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::internal::listing {

/// True if `key` is below `end`. An empty `end` is above all keys.
inline bool IsBefore(std::string_view key, std::string_view end) { return end.empty() || key < end; }

/// The smaller one of two ends of ranges.
inline const std::string& EarlierEnd(const std::string& a, const std::string& b) {
  return IsBefore(a, b) && !a.empty() ? a : b;
}

/// What the last page of a range showed.
struct Evidence {
  std::string first = {};
  std::string middle = {};
  std::string last = {};
  std::size_t count = 0;
};

/// How to continue after a page with its token, which is valid for these bounds only.
struct Continuation {
  std::string start_offset = {};
  std::string end_offset = {};
  std::string page_token = {};
  std::vector<std::string> barren_tokens = {};  // tokens requested in a row, including this one, without a new name
};

/// Keys [lo, hi) that are not accepted yet; an empty `hi` means no bound.
struct Range {
  std::string lo = {};
  std::string hi = {};
  std::optional<std::uint64_t> call = {};  // in flight
  std::optional<Continuation> next = {};   // of the page that ended at `lo`
  std::optional<Evidence> evidence = {};
  double estimate = 0;  // names that are left, including those of a page in flight
  int surprises = 0;    // full pages in a row where fewer names were expected
};

/// Names [begin, end) of a page.
struct Taken {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The part of the key space that is not listed yet: disjoint ranges in order. Every key is either in exactly one of
/// them, or below the end of what was accepted. So each name that stays is accepted exactly once, whichever page brings
/// it.
class Tiling {
 public:
  /// Of [lo, hi), cut at those of `cuts` that are inside.
  Tiling(std::string lo, std::string hi, const std::vector<std::string>& cuts);

  [[nodiscard]] std::list<Range>& open() { return open_; }
  [[nodiscard]] const std::list<Range>& open() const { return open_; }

  /// Cuts `range` at keys in increasing order; those that are not inside it are left out. Appends the new ranges, which
  /// stand behind it, to `made`.
  void Split(std::list<Range>::iterator range, const std::vector<std::string>& cuts, std::vector<Range*>& made);

  /// A page is known to hold every name in [begin, end). Each open range that starts in there takes its own, and moves
  /// or is closed. Returns what was taken, in order.
  std::vector<Taken> Absorb(std::string_view begin, const std::string& end, std::span<const std::string_view> names,
                            const std::optional<Evidence>& evidence);

 private:
  std::list<Range> open_;
};

}  // namespace gcsflux::internal::listing
