#pragma once

#include <cstdint>
#include <string>

#include "base/text/printable.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// A name from a file, for a message: short, and on one line.
inline std::string Shown(std::string name) {
  constexpr std::size_t kMost = 120;
  if (name.size() > kMost) name = name.substr(0, kMost) + "...";
  return "'" + Printable(std::move(name), '?') + "'";
}

/// "/data/x.pt: record 'x/data.pkl', byte 17: why".
inline Error FormatError(ErrorCode code, const std::string& file, const std::string& record, std::uint64_t offset,
                         const std::string& why) {
  const std::string where = record.empty() ? "" : "record " + Shown(record) + ", ";
  return {code, file + ": " + where + "byte " + std::to_string(offset) + ": " + why};
}

inline Error Undecodable(const std::string& file, const std::string& record, std::uint64_t offset,
                         const std::string& why) {
  return FormatError(ErrorCode::kUndecodable, file, record, offset, why);
}

}  // namespace gcsflux::internal
