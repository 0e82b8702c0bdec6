#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "gcsflux/operation_options.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// The steps of one rewrite. Without this check, a rewrite would never end if the service never says that it is done.
class RewriteSteps {
 public:
  /// Adds a step that is not the last one. Returns kBadResponse after 1,000 in a row that moved no more bytes.
  Result<void> Take(const Progress& progress) {
    constexpr int kMostBarren = 1000;  // The service may answer before it has moved any.
    barren_ = progress.bytes > bytes_ ? 0 : barren_ + 1;
    bytes_ = std::max(bytes_, progress.bytes);
    if (barren_ < kMostBarren) return {};
    return Error{ErrorCode::kBadResponse, "the service has answered " + std::to_string(kMostBarren) +
                                              " steps in a row without moving a byte, and says that it is not done"};
  }

 private:
  std::uint64_t bytes_ = 0;
  int barren_ = 0;  // Steps in a row.
};

}  // namespace gcsflux::internal
