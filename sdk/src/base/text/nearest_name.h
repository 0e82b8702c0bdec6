#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::internal {

/// How many letters must be inserted, deleted, replaced or exchanged with their neighbour to make one word the other.
inline std::size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> rows(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    rows[i][0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = rows[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      rows[i][j] = std::min({replaced, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
      const bool is_exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (is_exchanged) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows.back().back();
}

/// The name that was probably meant: the only one that the word begins, or the first one with the least distance, of at
/// most a third of the word's letters. Empty if there is none.
inline std::string NearestName(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kShortestBeginning = 3;
  if (word.empty() || word.size() > kLongest) return {};
  const auto is_begun = [&](const std::string& name) { return name.starts_with(word); };
  if (word.size() >= kShortestBeginning && std::count_if(names.begin(), names.end(), is_begun) == 1) {
    return *std::find_if(names.begin(), names.end(), is_begun);
  }
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = EditDistance(word, name);
    if (distance >= least || distance >= name.size()) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

}  // namespace gcsflux::internal
