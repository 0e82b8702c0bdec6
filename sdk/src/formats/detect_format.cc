#include <algorithm>
#include <string>

#include "formats/bytes/little_endian.h"
#include "formats/safetensors/safetensors_types.h"
#include "formats/torch_records.h"
#include "formats/zip/zip_directory.h"
#include "formats/zip/zip_layout.h"
#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux {
namespace {

constexpr std::size_t kFirstBytes = 64;

bool IsSafetensors(std::string_view first) {
  if (first.size() < 9 || first[8] != '{') return false;
  return internal::FromLittleEndian<std::uint64_t>(first) <= internal::kMostHeaderBytes;
}

bool IsJsonObject(std::string_view first) {
  const std::size_t begin = first.find_first_not_of(" \t\r\n");
  if (begin == first.npos || first[begin] != '{') return false;
  const std::size_t next = first.find_first_not_of(" \t\r\n", begin + 1);
  return next == first.npos || first[next] == '"' || first[next] == '}';
}

}  // namespace

std::string_view FormatName(CheckpointFormat format) {
  switch (format) {
    case CheckpointFormat::kUnknown: break;
    case CheckpointFormat::kTorchFile: return "a file of torch.save";
    case CheckpointFormat::kLibtorchArchive: return "an archive of libtorch or TorchScript";
    case CheckpointFormat::kOtherZip: return "a zip archive";
    case CheckpointFormat::kSafetensors: return "safetensors";
    case CheckpointFormat::kSafetensorsIndex: return "an index of safetensors";
    case CheckpointFormat::kOldTorchFile: return "a file of torch.save's old format";
  }
  return "no checkpoint";
}

CheckpointFormat DetectFormat(std::span<const std::byte> first_bytes) {
  const std::string_view first(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  namespace zip = internal::zip;
  // An archive without records begins with its end record.
  if (first.starts_with(zip::kLocalSignature) || first.starts_with(zip::kEndSignature))
    return CheckpointFormat::kOtherZip;
  if (internal::IsOldTorchFile(first)) return CheckpointFormat::kOldTorchFile;
  if (IsSafetensors(first)) return CheckpointFormat::kSafetensors;
  return IsJsonObject(first) ? CheckpointFormat::kSafetensorsIndex : CheckpointFormat::kUnknown;
}

Result<CheckpointFormat> DetectFormat(const ByteSource& source) {
  std::string first(static_cast<std::size_t>(std::min<std::uint64_t>(source.size, kFirstBytes)), '\0');
  if (!first.empty()) {
    const auto read = source.read_at(0, std::as_writable_bytes(std::span(first)));
    if (!read) return read.error();
  }
  const CheckpointFormat format = DetectFormat(std::as_bytes(std::span(first)));
  if (format != CheckpointFormat::kOtherZip) return format;
  const auto directory = internal::ZipDirectory::Read(source);
  if (!directory) return directory.error();
  const auto records = internal::FindTorchRecords(*directory);
  if (!records) return CheckpointFormat::kOtherZip;
  return records->has_code ? CheckpointFormat::kLibtorchArchive : CheckpointFormat::kTorchFile;
}

}  // namespace gcsflux
