#pragma once

#include "gcsflux/epoch.h"

namespace torch::serialize {
class OutputArchive;
class InputArchive;
}  // namespace torch::serialize

namespace gcsflux::internal {

/// A cursor in libtorch's archives, as text.
void SaveCursor(torch::serialize::OutputArchive& archive, const Cursor& cursor);
/// Throws StorageError as ParseCursor() fails.
Cursor LoadCursor(torch::serialize::InputArchive& archive);

}  // namespace gcsflux::internal
