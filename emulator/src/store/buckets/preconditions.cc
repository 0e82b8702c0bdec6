#include "store/buckets/preconditions.h"

namespace gcsflux::emulator {
namespace {

// GCS distinguishes them: a failed ...Match is 412, a failed ...NotMatch is 304, for reads and writes alike.
constexpr auto kMessage = "At least one of the pre-conditions you specified did not hold.";

Outcome<void> Check(const Preconditions& p, std::int64_t generation, std::int64_t metageneration) {
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

}  // namespace

Outcome<void> CheckPreconditions(const Preconditions& preconditions, const Object* live) {
  return live != nullptr ? CheckPreconditions(preconditions, *live, live) : Check(preconditions, 0, 0);
}

Outcome<void> CheckPreconditions(const Preconditions& preconditions, const Object& named, const Object* live) {
  return Check(preconditions, live != nullptr ? live->generation : 0, named.metageneration);
}

Outcome<void> CheckPreconditions(const Preconditions& preconditions, const BucketInfo& bucket) {
  return Check({.if_metageneration_match = preconditions.if_metageneration_match,
                .if_metageneration_not_match = preconditions.if_metageneration_not_match},
               0, bucket.metageneration);
}

}  // namespace gcsflux::emulator
