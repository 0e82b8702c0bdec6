#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gcsflux/formats.h"

namespace gcsflux {

/// What a checkpoint file is, told by its bytes and not by its name.
enum class CheckpointFormat {
  kUnknown,
  kTorchFile,         ///< torch.save since 1.6: torch_file.h, TorchFile::Open()
  kLibtorchArchive,   ///< torch::save, OutputArchive, TorchScript: TorchFile::OpenLibtorchArchive()
  kOtherZip,          ///< A zip archive that neither of them wrote.
  kSafetensors,       ///< One file: safetensors.h, ReadSafetensorsHeader()
  kSafetensorsIndex,  ///< The JSON that names the files of a sharded one: ReadSafetensorsIndex()
  kOldTorchFile,      ///< torch.save before 1.6, or with _use_new_zipfile_serialization=False: not read.
};

/// For messages: "safetensors", "a file of torch.save".
std::string_view FormatName(CheckpointFormat format);

/// Tells the format by the file's first bytes; 64 are enough. Zip archives are all kOtherZip: their directory tells
/// them apart.
CheckpointFormat DetectFormat(std::span<const std::byte> first_bytes);

/// Likewise, zip archives too: one read, and for an archive one or two more. Says what the file claims to be, which
/// reading it may deny. Fails as the source does, and where an archive's directory is broken.
Result<CheckpointFormat> DetectFormat(const ByteSource& source);

}  // namespace gcsflux
