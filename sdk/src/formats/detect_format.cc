#include "formats/bytes/little_endian.h"
#include "formats/checkpoint_reader.h"
#include "formats/safetensors/safetensors_types.h"
#include "formats/torch_records.h"
#include "formats/zip/zip_layout.h"

namespace gcsflux::internal {
namespace {

bool HasHeaderOfSafetensors(std::string_view first) {
  return first.size() >= 9 && first[8] == '{' && FromLittleEndian<std::uint64_t>(first) <= kMostHeaderBytes;
}

bool IsJsonObject(std::string_view first) {
  const std::size_t begin = first.find_first_not_of(" \t\r\n");
  if (begin == first.npos || first[begin] != '{') return false;
  const std::size_t next = first.find_first_not_of(" \t\r\n", begin + 1);
  return next == first.npos || first[next] == '"' || first[next] == '}';
}

}  // namespace

CheckpointFormat DetectFormat(std::span<const std::byte> first_bytes) {
  const std::string_view first(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  // An archive without records begins with its end record.
  if (first.starts_with(zip::kLocalSignature) || first.starts_with(zip::kEndSignature))
    return CheckpointFormat::kOtherZip;
  if (IsOldTorchFile(first)) return CheckpointFormat::kOldTorchFile;
  if (HasHeaderOfSafetensors(first)) return CheckpointFormat::kSafetensors;
  return IsJsonObject(first) ? CheckpointFormat::kSafetensorsIndex : CheckpointFormat::kUnknown;
}

}  // namespace gcsflux::internal
