#include "faults/plan/check_plan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/plan/plan_error.h"
#include "faults/tools/plan_fields.h"
#include "operations/known_operations.h"
#include "store/listing/glob.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

constexpr auto kPhases = std::to_array<std::string_view>(
    {"start", "chunk", "final", "status", "cancel", "initiate", "part", "complete", "abort"});
constexpr auto kMethods = std::to_array<std::string_view>({"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"});

// One element of the plan's lists, for messages about it.
class Place {
 public:
  Place(std::string list, std::size_t index, const std::string& name)
      : path_{std::move(list), index},
        title_(std::get<std::string>(path_[0]) + "[" + std::to_string(index) + "] \"" + name + "\": ") {}

  /// `part` is "match", say, or "".
  [[noreturn]] void Refuse(const std::string& part, const std::string& field, const std::string& text) const {
    JsonPath path = path_;
    if (!part.empty()) path.emplace_back(part);
    if (!field.empty()) path.emplace_back(field);
    throw PlanError(std::move(path), title_ + part + (part.empty() || field.empty() ? "" : ".") + field + " " + text);
  }

 private:
  JsonPath path_;
  std::string title_;
};

template <class Struct, std::size_t N>
void CheckFields(const Struct& object, const std::array<PlanField<Struct>, N>& fields, const std::string& part,
                 const Place& place) {
  for (const auto& field : fields) {
    const auto* text = std::get_if<std::optional<std::string> Struct::*>(&field.member);
    const bool is_text = text != nullptr && (object.**text).has_value();
    if (is_text && !IsUtf8(*(object.**text))) place.Refuse(part, std::string(field.name), "is not UTF-8");
    if (auto wrong = CheckField(object, field)) place.Refuse(part, std::string(field.name), *wrong);
  }
}

// A mistyped word would match nothing.
void CheckWord(const std::optional<std::string>& word, std::span<const std::string_view> known,
               const std::string& field, const Place& place) {
  if (!word || std::find(known.begin(), known.end(), *word) != known.end()) return;
  std::string words;
  for (const std::string_view one : known) words += (words.empty() ? "" : ", ") + std::string(one);
  place.Refuse("match", field, "is not one of " + words);
}

void CheckMatch(const FaultMatch& match, const Place& place) {
  CheckFields(match, kMatchFields, "match", place);
  CheckWord(match.operation, OperationNames(), "operation", place);
  CheckWord(match.phase, kPhases, "phase", place);
  CheckWord(match.method, kMethods, "method", place);
  if (match.object_glob) {
    const auto glob = Glob::Parse(*match.object_glob);
    if (!glob) place.Refuse("match", "objectGlob", "is not a valid pattern: " + glob.error().message);
  }
  // Not with the comparisons reversed: NaN compares false with everything.
  if (match.probability && !(*match.probability >= 0 && *match.probability <= 1)) {
    place.Refuse("match", "probability", "must be 0 to 1");
  }
}

void CheckAction(const FaultAction& action, const Place& place) {
  CheckFields(action, kActionFields, "action", place);
  if (auto wrong = CheckAction(action)) place.Refuse("action", wrong->field, wrong->text);
}

void CheckLimits(const FaultLimits& limits, const Place& place) {
  CheckFields(limits, kLimitFields, "limits", place);
  if (limits.not_before && limits.not_after && *limits.not_before >= *limits.not_after) {
    place.Refuse("limits", "notAfter", "must be later than notBefore");
  }
}

void CheckFired(const FiredFault& fired, const Place& place) {
  const FaultKey& key = fired.key;
  if (fired.rule.empty()) place.Refuse("", "rule", "is missing");
  if (key.operation.empty()) place.Refuse("", "operation", "is missing");
  if (key.arrival == 0) place.Refuse("", "arrival", "must be at least 1");
  for (const std::string& text : {fired.rule, key.operation, key.phase, key.bucket, key.object}) {
    if (!IsUtf8(text)) place.Refuse("", "", "is not UTF-8");
  }
  CheckAction(fired.action, place);
}

}  // namespace

FaultRule CheckRule(FaultRule rule, const std::vector<FaultRule>& others) {
  if (rule.name.empty()) rule.name = "rule " + std::to_string(others.size() + 1);
  const Place place("rules", others.size(), rule.name);
  if (!IsUtf8(rule.name)) place.Refuse("", "name", "is not UTF-8");
  if (std::any_of(others.begin(), others.end(), [&](const FaultRule& other) { return other.name == rule.name; })) {
    place.Refuse("", "name", "is another rule's too");
  }
  CheckMatch(rule.match, place);
  CheckAction(rule.action, place);
  CheckLimits(rule.limits, place);
  return rule;
}

FaultPlan CheckPlan(FaultPlan plan) {
  if (!plan.rules.empty() && !plan.replay.empty()) throw PlanError({"replay"}, "replay cannot be combined with rules");
  std::vector<FaultRule> checked;
  for (FaultRule& rule : plan.rules) checked.push_back(CheckRule(std::move(rule), checked));
  plan.rules = std::move(checked);
  for (std::size_t i = 0; i < plan.replay.size(); ++i) {
    CheckFired(plan.replay[i], Place("replay", i, plan.replay[i].rule));
  }
  return plan;
}

}  // namespace gcsflux::emulator
