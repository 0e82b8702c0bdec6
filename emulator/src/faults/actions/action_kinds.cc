#include "faults/actions/action_kinds.h"

#include <algorithm>
#include <array>

#include "faults/tools/plan_fields.h"

namespace gcsflux::emulator {
namespace {

#define GCSFLUX_ADDRESS(kind) &(kind),
constexpr std::array kActionKinds = {GCSFLUX_FAULT_KINDS(GCSFLUX_ADDRESS)};
#undef GCSFLUX_ADDRESS

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string TypesInOrder() {
  std::string types;
  for (const ActionKind* kind : kActionKinds) types += (types.empty() ? "" : ", ") + std::string(kind->type);
  return types;
}

bool IsHeaderValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// The fields that become header values, whatever the type.
std::optional<FieldComplaint> CheckHeaders(const FaultAction& action) {
  if (action.content_type && !IsHeaderValue(*action.content_type)) {
    return FieldComplaint{"contentType", "is not a valid header value"};
  }
  if (action.retry_after && *action.retry_after % std::chrono::seconds(1) != std::chrono::seconds(0)) {
    return FieldComplaint{"retryAfter", "must be whole seconds"};
  }
  return std::nullopt;
}

}  // namespace

const ActionKind* FindActionKind(std::string_view type) {
  const auto found = std::find_if(kActionKinds.begin(), kActionKinds.end(),
                                  [&](const ActionKind* kind) { return kind->type == type; });
  return found != kActionKinds.end() ? *found : nullptr;
}

std::span<const ActionKind* const> AllActionKinds() { return kActionKinds; }

std::optional<FieldComplaint> CheckAction(const FaultAction& action) {
  const ActionKind* kind = FindActionKind(action.type);
  if (kind == nullptr) return FieldComplaint{"type", "'" + action.type + "' is not one of " + TypesInOrder()};
  for (const auto& field : kActionFields) {
    const bool is_set = IsSet(action, field);
    const bool is_required = Contains(kind->required, field.name);
    if (is_required && !is_set) return FieldComplaint{std::string(field.name), "is needed by " + action.type};
    if (is_set && !is_required && !Contains(kind->optional, field.name)) {
      return FieldComplaint{std::string(field.name), "is not for " + action.type};
    }
    if (auto text = CheckField(action, field)) return FieldComplaint{std::string(field.name), *std::move(text)};
  }
  if (auto wrong = CheckHeaders(action)) return wrong;
  return kind->check != nullptr ? kind->check(action) : std::nullopt;
}

std::unique_ptr<Interceptor> MakeInterceptor(const FaultAction& action, std::shared_ptr<Firing> firing) {
  return FindActionKind(action.type)->make(action, std::move(firing));
}

}  // namespace gcsflux::emulator
