#pragma once

#include <string>

#include "base/text/utf8.h"
#include "formats/pickle/pickled_value.h"

namespace gcsflux {

/// A text as a value of a file for Python. A text may have any bytes; Python's str may not.
inline pickled::Value TextOrBytes(const std::string& text) {
  if (internal::IsUtf8(text)) return {.any = text};
  return {.any = pickled::Bytes{.data = text}};
}

/// The text of such a value. Null if the value is not a text.
inline const std::string* TextIn(const pickled::Value& value) {
  if (const auto* const bytes = value.As<pickled::Bytes>()) return &bytes->data;
  return value.As<std::string>();
}

}  // namespace gcsflux
