#include "store/log/change_log.h"

#include <memory>
#include <optional>
#include <variant>

namespace gcsflux::emulator {

Outcome<BodyPtr> KeepBody(ChangeLog* log, BodyPtr body) {
  if (log == nullptr) return body;
  bool is_in_files = true;
  body->bytes().ForEachPiece(
      [&](const RopePiece& piece) { is_in_files = is_in_files && std::holds_alternative<FileRun>(piece.run); });
  if (is_in_files) return body;
  Outcome<Rope> kept = log->Keep(body->bytes());
  if (!kept) return tl::unexpected(kept.error());
  const auto md5 = body->has_md5() ? std::optional(body->md5()) : std::nullopt;
  return std::make_shared<const Body>(*std::move(kept), body->crc32c(), md5);
}

}  // namespace gcsflux::emulator
