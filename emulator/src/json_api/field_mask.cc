#include "json_api/field_mask.h"

#include <algorithm>
#include <cassert>

namespace gcsflux::emulator {
namespace {

constexpr int kMaxDepth = 20;

}  // namespace

ApiResult<FieldMask> FieldMask::Parse(std::string_view text) {
  FieldMask mask;
  mask.is_everything_ = false;
  std::string_view rest = text;
  if (!ParseList(rest, mask, 0) || !rest.empty()) {
    return tl::unexpected(BadParameter("Invalid field selection " + std::string(text)));
  }
  return mask;
}

// list := field (',' field)*
bool FieldMask::ParseList(std::string_view& text, FieldMask& mask, int depth) {
  if (depth > kMaxDepth) return false;
  while (true) {
    if (!ParseField(text, mask, depth)) return false;
    if (!text.starts_with(',')) return true;
    text.remove_prefix(1);
  }
}

// field := name | name '/' field | name '(' list ')'
bool FieldMask::ParseField(std::string_view& text, FieldMask& mask, int depth) {
  const std::string_view name = text.substr(0, std::min(text.find_first_of(",/()"), text.size()));
  if (name.empty() || depth > kMaxDepth) return false;
  text.remove_prefix(name.size());
  const auto [found, is_new] = mask.fields_.try_emplace(std::string(name));
  FieldMask& inside = found->second;
  const bool has_parts = text.starts_with('/') || text.starts_with('(');
  if (!has_parts) {
    inside = FieldMask();
    return true;
  }
  if (is_new) inside.is_everything_ = false;
  const bool is_list = text.front() == '(';
  text.remove_prefix(1);
  if (!is_list) return ParseField(text, inside, depth + 1);
  if (!ParseList(text, inside, depth + 1) || !text.starts_with(')')) return false;
  text.remove_prefix(1);
  return true;
}

bool FieldMask::Includes(std::string_view field) const { return is_everything_ || Find(field) != nullptr; }

bool FieldMask::IsWithin(const FieldMask& known) const {
  if (is_everything_ || known.is_everything_) return true;
  return std::all_of(fields_.begin(), fields_.end(), [&known](const auto& field) {
    const std::string& name = field.first;  // no structured binding: clang 14 cannot capture one
    const FieldMask& inside = field.second;
    if (name != "*") return known.Includes(name) && inside.IsWithin(known.Inside(name));
    // The mask for the inside of any field.
    return std::any_of(known.fields_.begin(), known.fields_.end(),
                       [&inside](const auto& one) { return inside.IsWithin(one.second); });
  });
}

const FieldMask& FieldMask::Inside(std::string_view field) const {
  if (is_everything_) return *this;
  assert(Find(field) != nullptr);
  return *Find(field);
}

const FieldMask* FieldMask::Find(std::string_view field) const {
  auto found = fields_.find(field);
  if (found == fields_.end()) found = fields_.find("*");
  return found != fields_.end() ? &found->second : nullptr;
}

}  // namespace gcsflux::emulator
