#include "http/headers.h"

#include <algorithm>

namespace gcsflux::internal {
// A request has some 6 headers of 400 bytes, when the client has added its own.
Headers::Headers(std::initializer_list<value_type> headers) {
  constexpr std::size_t kUsualHeaders = 8;
  constexpr std::size_t kUsualBytes = 480;
  Reserve(std::max(headers.size(), kUsualHeaders), kUsualBytes);
  Append(headers);
}

Headers::Headers(const Headers& other) {
  Reserve(other.fields_.capacity(), other.lines_.capacity());
  lines_ = other.lines_;
  fields_ = other.fields_;
}

void Headers::emplace_back(std::string_view name, std::string_view value) {
  const std::size_t begin = lines_.size();
  const std::string_view between = value.empty() ? ";" : kBetween;
  const std::size_t end = begin + name.size() + between.size() + value.size() + 1;
  std::string grown;  // The views may point into the old text, which stays until they are copied.
  const bool must_grow = end > lines_.capacity();
  if (must_grow) {
    grown.reserve(std::max(end, 2 * lines_.size()));
    grown = lines_;
  }
  (must_grow ? grown : lines_).append(name).append(between).append(value) += '\0';
  if (must_grow) lines_.swap(grown);
  fields_.push_back({.begin = static_cast<std::uint32_t>(begin),
                     .name_size = static_cast<std::uint32_t>(name.size()),
                     .value_size = static_cast<std::uint32_t>(value.size())});
}

void Headers::AddJoined(std::string_view name, std::initializer_list<std::string_view> value) {
  const std::size_t begin = lines_.size();
  lines_.append(name).append(kBetween);
  const std::size_t value_begin = lines_.size();
  for (const std::string_view chunk : value) lines_.append(chunk);
  const std::size_t value_size = lines_.size() - value_begin;
  lines_ += '\0';
  fields_.push_back({.begin = static_cast<std::uint32_t>(begin),
                     .name_size = static_cast<std::uint32_t>(name.size()),
                     .value_size = static_cast<std::uint32_t>(value_size)});
}

void Headers::AddInLowerCase(std::string_view name, std::string_view value) {
  emplace_back(name, value);
  char* const start = lines_.data() + fields_.back().begin;
  std::transform(start, start + name.size(), start, [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
}

void Headers::clear() {
  lines_.clear();
  fields_.clear();
}

void Headers::Reserve(std::size_t headers, std::size_t bytes) {
  fields_.reserve(headers);
  lines_.reserve(bytes);
}

std::string_view FindHeader(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace gcsflux::internal
