#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::internal::listing {

/// Directories of the key space, found by '/' listings level by level. If a level is known, all of its directories are
/// known, and they are the places for cuts.
///
/// A level is begun only when the level above is complete. The last level is the first one with more directories than
/// workers: listing directories one at a time is the slowest way to list names.
class Anchors {
 public:
  Anchors(std::string root, std::size_t max_concurrency)
      : max_concurrency_(max_concurrency), to_ask_{std::move(root)} {}

  /// True if another directory should be listed with '/'.
  [[nodiscard]] bool has_question() const { return !to_ask_.empty(); }
  std::string TakeQuestion();
  /// The answer for a directory. `is_complete`: it names everything directly in `directory`.
  void OnAnswer(const std::string& directory, bool is_complete, std::vector<std::string> directories);

  /// The known directories inside (lo, hi), as [first, last) of all().
  struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
    [[nodiscard]] std::size_t size() const { return last - first; }
  };
  [[nodiscard]] Span Inside(std::string_view lo, std::string_view hi) const;
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  void FinishLevel();

  const std::size_t max_concurrency_;
  std::vector<std::string> to_ask_;
  std::size_t unanswered_ = 0;
  std::size_t levels_ = 0;
  bool is_over_ = false;
  std::map<std::string, std::vector<std::string>> answers_;  // of this level
  std::vector<std::string> all_;                             // sorted
};

}  // namespace gcsflux::internal::listing
