#include "gcsflux/torch/saved_cursor.h"

#include <torch/serialize/archive.h>

#include "gcsflux/torch/storage_error.h"

namespace gcsflux::internal {
namespace {

constexpr const char* kName = "cursor";

}  // namespace

void SaveCursor(torch::serialize::OutputArchive& archive, const Cursor& cursor) {
  archive.write(kName, c10::IValue(FormatCursor(cursor)));
}

Cursor LoadCursor(torch::serialize::InputArchive& archive) {
  c10::IValue text;
  archive.read(kName, text);
  return ValueOrThrow(ParseCursor(text.toStringRef()));
}

}  // namespace gcsflux::internal
