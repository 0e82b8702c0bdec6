#include "retry/throttle_cause.h"

#include <string_view>

namespace gcsflux::internal {

// Only the text distinguishes them: https://cloud.google.com/storage/docs/gcs429, and, for the caps,
// https://cloud.google.com/storage/docs/bandwidth-usage
ThrottleCause CauseOfThrottling(const Error& error) {
  const std::string_view words = error.message;
  const auto says = [&](std::string_view text) { return words.find(text) != std::string_view::npos; };
  if (says("rate limit for object mutation operations")) return ThrottleCause::kObjectMutation;
  if (says("too much egress bandwidth") || says("Egress Bandwidth Cap")) return ThrottleCause::kEgress;
  return ThrottleCause::kRequestRate;
}

}  // namespace gcsflux::internal
