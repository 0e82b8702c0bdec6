#include "store/lifecycle/lifecycle_rules.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/parse_time.h"
#include "json/json_shape.h"
#include "store/objects/storage_class.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;
using Condition = LifecycleCondition;

constexpr std::size_t kMostRules = 100;

template <class Value>
struct Member {
  std::string_view name;
  std::optional<Value> Condition::*place;
};
constexpr std::array kNumbers = {
    Member<std::int64_t>{"age", &Condition::age},
    Member<std::int64_t>{"daysSinceCustomTime", &Condition::days_since_custom_time},
    Member<std::int64_t>{"daysSinceNoncurrentTime", &Condition::days_since_noncurrent_time},
    Member<std::int64_t>{"numNewerVersions", &Condition::newer_versions},
    Member<std::int64_t>{"sizeAboveBytes", &Condition::size_above},
    Member<std::int64_t>{"sizeBelowBytes", &Condition::size_below}};
constexpr std::array kDates = {Member<Time>{"createdBefore", &Condition::created_before},
                               Member<Time>{"customTimeBefore", &Condition::custom_time_before},
                               Member<Time>{"noncurrentTimeBefore", &Condition::noncurrent_time_before}};
struct ListMember {
  std::string_view name;
  std::vector<std::string> Condition::*place;
};
constexpr std::array kLists = {ListMember{"matchesPrefix", &Condition::prefixes},
                               ListMember{"matchesSuffix", &Condition::suffixes},
                               ListMember{"matchesStorageClass", &Condition::storage_classes}};

template <class Members>
auto FindMember(const Members& members, std::string_view name) {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.name == name; });
  return found != members.end() ? &*found : nullptr;
}

tl::unexpected<Failure> Invalid(const std::string& field) {
  return Fail(FailureKind::kInvalid, "Invalid value for field 'lifecycle.rule." + field + "'.");
}

// "2026-11-20": the date's first moment. Types have been checked.
std::optional<Time> ParseDate(const Json& value) {
  const auto text = value.is_string() ? value.get<std::string>() : std::string();
  return text.size() == 10 ? ParseRfc3339(text + "T00:00:00Z") : std::nullopt;
}

// Returns false if there is no such condition, or if it cannot have the value.
bool ReadMember(const std::string& name, const Json& value, Condition& condition) {
  if (const auto* number = FindMember(kNumbers, name)) {
    const std::optional<std::int64_t> given = ToInt64(value);
    condition.*number->place = given;
    return given.value_or(-1) >= 0;
  }
  if (const auto* date = FindMember(kDates, name)) {
    condition.*date->place = ParseDate(value);
    return (condition.*date->place).has_value();
  }
  if (const auto* list = FindMember(kLists, name)) {
    condition.*list->place = value.get<std::vector<std::string>>();
    return true;
  }
  if (name != "isLive") return false;
  condition.is_live = value.get<bool>();
  return true;
}

bool HasOnlyUploadConditions(const Json& conditions) {
  for (const auto& [name, value] : conditions.items()) {
    if (name != "age" && name != "matchesPrefix" && name != "matchesSuffix") return false;
  }
  return true;
}

Outcome<LifecycleRule> ParseRule(const Json& rule) {
  const Json action = rule.value("action", Json::object());
  const Json conditions = rule.value("condition", Json::object());
  const std::string type = action.value("type", "");
  LifecycleRule parsed{.storage_class = action.value("storageClass", "")};
  if (conditions.empty()) return Invalid("condition");
  if (type == "SetStorageClass") {
    parsed.action = LifecycleAction::kSetStorageClass;
    if (!IsStorageClass(parsed.storage_class)) return Invalid("action.storageClass");
  } else if (type == "AbortIncompleteMultipartUpload") {
    parsed.action = LifecycleAction::kAbortUpload;
    if (!HasOnlyUploadConditions(conditions)) return Invalid("condition");
  } else if (type != "Delete") {
    return Invalid("action.type");
  }
  for (const auto& [name, value] : conditions.items()) {
    if (!ReadMember(name, value, parsed.condition)) return Invalid("condition." + name);
  }
  for (const std::string& name : parsed.condition.storage_classes) {
    if (!IsStorageClass(name)) return Invalid("condition.matchesStorageClass");
  }
  return parsed;
}

// How little it costs to keep bytes in it.
int RankOf(std::string_view storage_class) {
  static constexpr std::array<std::string_view, 3> kColder = {"NEARLINE", "COLDLINE", "ARCHIVE"};
  const auto* found = std::find(kColder.begin(), kColder.end(), storage_class);
  return found != kColder.end() ? static_cast<int>(found - kColder.begin()) + 1 : 0;
}

// `time` may be unset: then nothing is so many days ago.
bool IsAged(std::optional<std::int64_t> days, std::optional<Time> time, Time now) {
  // Durations of many days would overflow.
  return !days || (time && (now - *time) / std::chrono::hours(24) >= *days);
}

bool IsBefore(std::optional<Time> time, std::optional<Time> limit) { return !limit || (time && *time < *limit); }

template <class Fits>
bool FitsOne(const std::vector<std::string>& texts, const Fits& fits) {
  return texts.empty() || std::any_of(texts.begin(), texts.end(), fits);
}

bool FitsName(const Condition& condition, const std::string& name) {
  return FitsOne(condition.prefixes, [&](const std::string& prefix) { return name.starts_with(prefix); }) &&
         FitsOne(condition.suffixes, [&](const std::string& suffix) { return name.ends_with(suffix); });
}

bool IsMet(const Condition& condition, const LifecycleSubject& subject, Time now) {
  const Object& object = subject.object;
  const std::string& storage_class = object.attributes->storage_class;
  const auto size = static_cast<std::int64_t>(object.body->size());
  const std::optional<Time> custom = ParseRfc3339(object.attributes->custom_time);
  const std::optional<Time> noncurrent = object.extras != nullptr ? object.extras->time_deleted : std::nullopt;
  return FitsName(condition, object.name) && condition.is_live.value_or(subject.is_live) == subject.is_live &&
         FitsOne(condition.storage_classes, [&](const std::string& each) { return each == storage_class; }) &&
         condition.newer_versions.value_or(0) <= subject.newer_versions &&
         (!condition.size_above || size > *condition.size_above) &&
         (!condition.size_below || size < *condition.size_below) && IsAged(condition.age, object.time_created, now) &&
         IsAged(condition.days_since_custom_time, custom, now) &&
         IsAged(condition.days_since_noncurrent_time, noncurrent, now) &&
         IsBefore(object.time_created, condition.created_before) && IsBefore(custom, condition.custom_time_before) &&
         IsBefore(noncurrent, condition.noncurrent_time_before);
}

}  // namespace

Outcome<std::vector<LifecycleRule>> ParseLifecycle(const Json& lifecycle) {
  std::vector<LifecycleRule> rules;
  const Json given = lifecycle.value("rule", Json::array());
  if (given.size() > kMostRules) return Fail(FailureKind::kInvalid, "A bucket can have at most 100 lifecycle rules.");
  for (const Json& each : given) {
    Outcome<LifecycleRule> rule = ParseRule(each);
    if (!rule) return tl::unexpected(rule.error());
    rules.push_back(*std::move(rule));
  }
  return rules;
}

std::optional<std::string> ChooseLifecycleStep(const std::vector<LifecycleRule>& rules, const LifecycleSubject& subject,
                                               Time now) {
  std::string chosen = subject.object.attributes->storage_class;
  bool is_changed = false;
  for (const LifecycleRule& rule : rules) {
    if (rule.action == LifecycleAction::kAbortUpload || !IsMet(rule.condition, subject, now)) continue;
    if (rule.action == LifecycleAction::kDelete) return "";
    if (RankOf(rule.storage_class) <= RankOf(chosen)) continue;
    chosen = rule.storage_class;
    is_changed = true;
  }
  return is_changed ? std::optional(chosen) : std::nullopt;
}

bool EndsUpload(const std::vector<LifecycleRule>& rules, const std::string& object, Time initiated, Time now) {
  return std::any_of(rules.begin(), rules.end(), [&](const LifecycleRule& rule) {
    return rule.action == LifecycleAction::kAbortUpload && FitsName(rule.condition, object) &&
           IsAged(rule.condition.age, initiated, now);
  });
}

}  // namespace gcsflux::emulator
