#pragma once

#include <map>
#include <string>
#include <string_view>

#include "http/api_error.h"

namespace gcsflux::emulator {

/// The fields of an answer that a client asked for: `fields=items(name,size),nextPageToken`.
class FieldMask {
 public:
  /// Every field.
  FieldMask() = default;
  /// 400 if the brackets do not match or a name is empty. Names that no answer has select nothing.
  static ApiResult<FieldMask> Parse(std::string_view text);

  [[nodiscard]] bool Includes(std::string_view field) const;
  /// Whether everything that it selects by name, at any depth, is also in `known`. A star selects no name.
  [[nodiscard]] bool IsWithin(const FieldMask& known) const;
  /// The mask for the inside of `field`, which must be included.
  [[nodiscard]] const FieldMask& Inside(std::string_view field) const;

 private:
  static bool ParseList(std::string_view& text, FieldMask& mask, int depth);
  static bool ParseField(std::string_view& text, FieldMask& mask, int depth);
  [[nodiscard]] const FieldMask* Find(std::string_view field) const;

  bool is_everything_ = true;
  std::map<std::string, FieldMask, std::less<>> fields_;
};

}  // namespace gcsflux::emulator
