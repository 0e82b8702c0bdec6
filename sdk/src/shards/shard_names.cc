#include "shards/shard_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace gcsflux::internal {
namespace {

// A part of a pattern: a text, or one of several. Numbers are not written out before they are counted.
struct Choice {
  std::vector<std::string> listed = {};
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // Of numbers; 0 if they are listed.
  std::size_t digits = 0;
  bool descends = false;

  [[nodiscard]] std::uint64_t size() const { return count > 0 ? count : listed.size(); }
  [[nodiscard]] std::string At(std::uint64_t index) const {
    if (count == 0) return listed[static_cast<std::size_t>(index)];
    const std::string number = std::to_string(descends ? first - index : first + index);
    return std::string(digits - std::min(digits, number.size()), '0') + number;
  }
};

Error Senseless(std::string_view pattern, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "shards '" + std::string(pattern) + "': " + why};
}

std::optional<std::uint64_t> NumberOf(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is between two braces.
std::optional<Choice> ChoiceOf(std::string_view text) {
  Choice choice;
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    if (text.find(',') == std::string_view::npos) return std::nullopt;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      choice.listed.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return choice;
  }
  const auto first = NumberOf(text.substr(0, dots));
  const auto last = NumberOf(text.substr(dots + 2));
  if (!first || !last) return std::nullopt;
  const std::uint64_t steps = std::max(*first, *last) - std::min(*first, *last);
  choice.first = *first;
  choice.descends = *last < *first;
  choice.count = steps == UINT64_MAX ? steps : steps + 1;
  // "000..127" and "1..10": leading zeros are told by the first one.
  choice.digits = text.starts_with('0') ? dots : 0;
  return choice;
}

}  // namespace

Result<std::vector<std::string>> ExpandBraces(std::string_view pattern) {
  std::vector<Choice> choices;
  std::uint64_t total = 1;
  for (std::string_view rest = pattern; !rest.empty();) {
    const std::size_t open = std::min(rest.find_first_of("{}"), rest.size());
    if (open > 0) choices.push_back({.listed = {std::string(rest.substr(0, open))}});
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const std::size_t close = rest.find_first_of("{}", 1);
    if (rest.front() == '}' || close == std::string_view::npos || rest[close] == '{') {
      return Senseless(pattern, "its braces are not closed, or nested");
    }
    auto choice = ChoiceOf(rest.substr(1, close - 1));
    if (!choice) return Senseless(pattern, "braces hold numbers, {000000..000127}, or a list, {a,b}");
    if (choice->size() > kMostShards / total) {
      return Senseless(pattern, "it stands for more than " + std::to_string(kMostShards) + " shards");
    }
    total *= choice->size();
    choices.push_back(*std::move(choice));
    rest.remove_prefix(close + 1);
  }
  std::vector<std::string> names(static_cast<std::size_t>(total));
  for (std::uint64_t i = 0; i < total; ++i) {
    std::uint64_t block = total;
    for (const Choice& choice : choices) {
      block /= choice.size();
      names[static_cast<std::size_t>(i)] += choice.At(i / block % choice.size());
    }
  }
  return names;
}

}  // namespace gcsflux::internal
