#include <torch/serialize/archive.h>

#include "gcsflux/torch/dataset_handle.h"
#include "torch/failure.h"

namespace gcsflux::internal {
namespace {

constexpr const char* kName = "cursor";

}  // namespace

void SaveCursor(torch::serialize::OutputArchive& archive, const Cursor& cursor) {
  archive.write(kName, c10::IValue(FormatCursor(cursor)));
}

Cursor LoadCursor(torch::serialize::InputArchive& archive) {
  c10::IValue text;
  if (archive.try_read(kName, text) && text.isString()) return ValueOrThrow(ParseCursor(text.toStringRef()));
  throw Failure(ErrorCode::kInvalidArgument,
                "the archive holds no cursor; load one that a dataset's or a sampler's save() wrote");
}

}  // namespace gcsflux::internal
