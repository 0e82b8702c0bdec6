#include "torch/plain_values.h"

#include "gcsflux/torch/storage_error.h"
#include "torch/text_values.h"

namespace gcsflux {
namespace {

const pickled::Dict& DictIn(const pickled::Dict& root, const char* name) {
  static const pickled::Dict& none = *new pickled::Dict();
  const pickled::Value* const value = pickled::Find(root, name);
  return value != nullptr && value->As<pickled::Dict>() != nullptr ? *value->As<pickled::Dict>() : none;
}

}  // namespace

PlainValues PlainValuesIn(const pickled::Dict& root) {
  PlainValues values;
  for (const auto& [key, value] : DictIn(root, kNumbersKey).entries) {
    const auto* const number = value.As<std::int64_t>();
    if (number != nullptr && TextIn(key) != nullptr) values.numbers[*TextIn(key)] = *number;
  }
  for (const auto& [key, value] : DictIn(root, kTextsKey).entries) {
    if (TextIn(value) != nullptr && TextIn(key) != nullptr) values.texts[*TextIn(key)] = *TextIn(value);
  }
  const pickled::Value* const saved = pickled::Find(root, kCursorKey);
  if (saved != nullptr && TextIn(*saved) != nullptr) values.cursor = ValueOrThrow(ParseCursor(*TextIn(*saved)));
  return values;
}

}  // namespace gcsflux
