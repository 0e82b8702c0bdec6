#include "base/crc32c.h"
#include "client/reported_checksum.h"
#include "gcsflux/download.h"
#include "transfer/upload/upload_source.h"

namespace gcsflux {

std::uint32_t Crc32cOf(std::span<const std::byte> bytes, std::uint32_t before) {
  return internal::ExtendCrc32c(before, bytes);
}

Result<std::uint32_t> Crc32cOfFile(const std::string& path, const std::stop_token& stop) {
  const auto file = internal::FileSource(path);
  if (!file) return file.error();
  return internal::ChecksumOf(**file, (*file)->size(), stop);
}

Result<void> CompareWithObject(const Client& client, const DownloadSource& source, std::uint32_t crc32c) {
  return internal::ReportedChecksum().CheckWhole(CoreOf(client), source.object, source.crc32c, crc32c);
}

}  // namespace gcsflux
