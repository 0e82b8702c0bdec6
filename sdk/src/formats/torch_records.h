#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/zip/zip_directory.h"

namespace gcsflux::internal {

/// The records that identify a zip archive of PyTorch.
struct TorchRecords {
  std::string prefix = {};               ///< The folder that contains all of them.
  const ZipEntry* pickle = nullptr;      ///< data.pkl
  const ZipEntry* byte_order = nullptr;  ///< byteorder, since 2.1
  const ZipEntry* alignment = nullptr;   ///< .storage_alignment, since 2.7
  bool has_code = false;                 ///< Archives of libtorch and TorchScript have constants.pkl beside their code.
};

/// Nothing if no folder has a data.pkl, or two have one.
std::optional<TorchRecords> FindTorchRecords(const ZipDirectory& directory);

/// Tells from the first 64 bytes: a file of torch.save before 1.6 begins with a special number; before 0.1.10 it is a
/// tar archive.
bool IsOldTorchFile(std::string_view first_bytes);
constexpr std::string_view kOldTorchFile =
    "it is a file of torch.save's old format (before PyTorch 1.6, or with _use_new_zipfile_serialization=False); load "
    "it "
    "with torch.load() in Python and save it again with torch.save()";

}  // namespace gcsflux::internal
