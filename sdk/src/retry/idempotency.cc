#include "retry/idempotency.h"

namespace gcsflux::internal {

bool IsIdempotent(Operation operation, const Preconditions& preconditions,
                  const std::optional<std::int64_t>& generation) {
  switch (TraitsOf(operation).repeatable) {
    case Repeatable::kAlways: return true;
    case Repeatable::kIfGenerationMatch: return preconditions.if_generation_match.has_value();
    case Repeatable::kIfMetagenerationMatch: return preconditions.if_metageneration_match.has_value();
    case Repeatable::kIfOneGeneration: break;
  }
  return generation.has_value() || preconditions.if_generation_match.has_value();
}

}  // namespace gcsflux::internal
