#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/zip_directory.h"
#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// The records that make a zip archive one of PyTorch's.
struct TorchRecords {
  std::string prefix = {};               ///< The folder that all of them are in.
  const ZipEntry* pickle = nullptr;      ///< data.pkl
  const ZipEntry* byte_order = nullptr;  ///< byteorder, since 2.1
  const ZipEntry* alignment = nullptr;   ///< .storage_alignment, since 2.7
  bool has_code = false;                 ///< Libtorch's archives and TorchScript have constants.pkl beside their code.
};

/// Nothing where there is no data.pkl in a folder, or two of them.
std::optional<TorchRecords> FindTorchRecords(const ZipDirectory& directory);

/// By its first 64 bytes: what torch.save wrote before 1.6, which begins with a number of its own; as a tar before
/// 0.1.10.
bool IsOldTorchFile(std::string_view first_bytes);
constexpr std::string_view kOldTorchFile =
    "it is a file of torch.save's old format (before PyTorch 1.6, or with _use_new_zipfile_serialization=False); load "
    "it "
    "with torch.load() in Python and save it again with torch.save()";

/// The tensor's elements, last dimension first, from the bytes that it touches. Both have the lengths that the layout
/// gives.
void GatherElements(const TensorLayout& layout, std::string_view touched, std::span<std::byte> into);

}  // namespace gcsflux::internal
