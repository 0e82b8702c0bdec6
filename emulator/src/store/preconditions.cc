#include "store/preconditions.h"

namespace gcsflux::emulator {
namespace {

// GCS tells the two apart: a failed ...Match is 412, a failed ...NotMatch 304, for reads and writes alike.
constexpr auto kMessage = "At least one of the pre-conditions you specified did not hold.";

}  // namespace

Outcome<void> CheckPreconditions(const Preconditions& preconditions, const Object* live) {
  const std::int64_t generation = live != nullptr ? live->generation : 0;
  const std::int64_t metageneration = live != nullptr ? live->metageneration : 0;
  const auto& p = preconditions;
  if ((p.if_generation_match && *p.if_generation_match != generation) ||
      (p.if_metageneration_match && *p.if_metageneration_match != metageneration)) {
    return Fail(FailureKind::kPreconditionFailed, kMessage);
  }
  if ((p.if_generation_not_match && *p.if_generation_not_match == generation) ||
      (p.if_metageneration_not_match && *p.if_metageneration_not_match == metageneration)) {
    return Fail(FailureKind::kNotModified, kMessage);
  }
  return {};
}

Outcome<void> CheckPreconditions(const Preconditions& preconditions, const BucketInfo& bucket) {
  const Object as_object{.metageneration = bucket.metageneration};
  return CheckPreconditions({.if_metageneration_match = preconditions.if_metageneration_match,
                             .if_metageneration_not_match = preconditions.if_metageneration_not_match},
                            &as_object);
}

}  // namespace gcsflux::emulator
