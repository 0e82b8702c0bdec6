#include "formats/torch_records.h"

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

}  // namespace gcsflux::internal
