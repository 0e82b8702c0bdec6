#include "client/reported_checksum.h"

#include "base/text/base64.h"

namespace gcsflux::internal {
namespace {

Result<void> NoteUnverified(const ClientCore& core, const ObjectName& object) {
  const std::string uri = ToUri(object);
  core.observer().Report(
      {.kind = EventKind::kUnverifiedRead, .operation = "objects.get", .subject = uri, .bucket = object.bucket});
  if (!core.settings().require_checksum) return {};
  return Error{ErrorCode::kUnverified,
               "objects.get " + uri + ": the service gives no CRC32C (x-goog-hash) to check the bytes by"};
}

}  // namespace

Error WrongChecksum(const std::string& operation, std::uint32_t came, std::uint32_t expected) {
  return {ErrorCode::kCorrupted, operation + "crc32c " + Crc32cToBase64(came) + " of the bytes that came is not " +
                                     Crc32cToBase64(expected) + " of the object"};
}

Result<void> ReportedChecksum::Note(const ObjectName& object, const std::optional<std::uint32_t>& crc32c) {
  if (!crc32c) return {};
  const MutexLock lock(mutex_);
  if (crc32c_ && *crc32c_ != *crc32c) {
    return Error{ErrorCode::kBadResponse,
                 "objects.get " + ToUri(object) + ": two answers of one generation say two different CRC32Cs"};
  }
  crc32c_ = crc32c;
  return {};
}

Result<void> ReportedChecksum::CheckWhole(const ClientCore& core, const ObjectName& object,
                                          const std::optional<std::uint32_t>& listed, std::uint32_t came) const {
  const auto expected = listed ? listed : value();
  if (!expected) return NoteUnverified(core, object);
  if (came == *expected) return {};
  return WrongChecksum("objects.get " + ToUri(object) + ": ", came, *expected);
}

std::optional<std::uint32_t> ReportedChecksum::value() const {
  const MutexLock lock(mutex_);
  return crc32c_;
}

}  // namespace gcsflux::internal
