#include "formats/torch_records.h"

#include <cstring>

namespace gcsflux::internal {

std::optional<TorchRecords> FindTorchRecords(const ZipDirectory& directory) {
  constexpr std::string_view kPickle = "/data.pkl";
  TorchRecords records;
  for (const ZipEntry& entry : directory.entries()) {
    if (entry.name.find('/') + kPickle.size() != entry.name.size() || !entry.name.ends_with(kPickle)) continue;
    if (records.pickle != nullptr) return std::nullopt;
    records.pickle = &entry;
    records.prefix = entry.name.substr(0, entry.name.size() - kPickle.size());
  }
  if (records.pickle == nullptr) return std::nullopt;
  records.byte_order = directory.Find(records.prefix + "/byteorder");
  records.alignment = directory.Find(records.prefix + "/.storage_alignment");
  records.has_code = directory.Find(records.prefix + "/constants.pkl") != nullptr;
  return records;
}

bool IsOldTorchFile(std::string_view first_bytes) {
  // The pickle of 0x1950A86A20F9469CFC6C, in protocol 2 and, at another place, in later ones.
  constexpr std::string_view kMagic = {"\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 13};
  const std::size_t at = first_bytes.find(kMagic);
  return first_bytes.starts_with('\x80') && at != first_bytes.npos && at < 16;
}

void GatherElements(const TensorLayout& layout, std::string_view touched, std::span<std::byte> into) {
  const std::size_t element = ElementBytes(layout.dtype);
  const std::size_t dimensions = layout.shape.size();
  std::vector<std::int64_t> at(dimensions, 0);
  std::size_t place = 0;  // In elements.
  for (std::size_t written = 0; written < into.size(); written += element) {
    std::memcpy(into.data() + written, touched.data() + place * element, element);
    for (std::size_t i = dimensions; i-- > 0;) {
      const auto stride = static_cast<std::size_t>(layout.strides[i]);
      place += stride;
      if (++at[i] < layout.shape[i]) break;
      place -= stride * static_cast<std::size_t>(layout.shape[i]);
      at[i] = 0;
    }
  }
}

}  // namespace gcsflux::internal
