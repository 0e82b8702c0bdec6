#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gcsflux/formats.h"

namespace gcsflux {

/// The format of a checkpoint file. The file's bytes tell the format; its name does not.
enum class CheckpointFormat {
  kUnknown,
  kTorchFile,         ///< torch.save since 1.6: torch_file.h, TorchFile::Open()
  kLibtorchArchive,   ///< torch::save, OutputArchive, TorchScript: TorchFile::OpenLibtorchArchive()
  kOtherZip,          ///< A zip archive that neither torch.save nor libtorch wrote.
  kSafetensors,       ///< One file: safetensors.h, ReadSafetensorsHeader()
  kSafetensorsIndex,  ///< The JSON index of a sharded checkpoint: ReadSafetensorsIndex()
  kOldTorchFile,  ///< torch.save before 1.6, or with _use_new_zipfile_serialization=False: gcsflux does not read it.
};

/// For messages: "safetensors", "a file of torch.save".
std::string_view FormatName(CheckpointFormat format);

/// Detects the format from the file's first bytes; 64 bytes are enough. Every zip archive is kOtherZip here, because
/// only its directory tells which program wrote it.
CheckpointFormat DetectFormat(std::span<const std::byte> first_bytes);

/// Detects the format, also of zip archives. Takes one read, and for an archive one or two more. The answer is what the
/// file claims to be; reading it may still fail. Returns the source's error if a read fails, and an error if an
/// archive's directory is broken.
Result<CheckpointFormat> DetectFormat(const ByteSource& source);

}  // namespace gcsflux
