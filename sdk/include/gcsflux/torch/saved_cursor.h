#pragma once

#include "gcsflux/epoch.h"

namespace torch::serialize {
class OutputArchive;
class InputArchive;
}  // namespace torch::serialize

namespace gcsflux::internal {

/// Saves a cursor in libtorch's archive, as text.
void SaveCursor(torch::serialize::OutputArchive& archive, const Cursor& cursor);
/// Throws StorageError with the errors of ParseCursor().
Cursor LoadCursor(torch::serialize::InputArchive& archive);

}  // namespace gcsflux::internal
