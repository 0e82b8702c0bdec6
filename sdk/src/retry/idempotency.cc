#include "retry/idempotency.h"

namespace gcsflux::internal {

bool IsIdempotent(Operation operation, const Guards& guards) {
  switch (TraitsOf(operation).repeatable) {
    case Repeatable::kAlways: return true;
    case Repeatable::kIfGenerationMatch: return guards.if_generation_match.has_value();
    case Repeatable::kIfMetagenerationMatch: return guards.if_metageneration_match.has_value();
    case Repeatable::kIfOneGeneration: break;
  }
  return guards.generation.has_value() || guards.if_generation_match.has_value();
}

}  // namespace gcsflux::internal
