#include "faults/plan/render_plan.h"

#include <nlohmann/json.hpp>

#include "base/interruption.h"
#include "faults/plan/seconds_text.h"
#include "faults/tools/plan_fields.h"

namespace gcsflux::emulator {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <class T>
OrderedJson ToJson(const T& value) {
  return value;
}
OrderedJson ToJson(const std::chrono::nanoseconds& value) { return FormatSeconds(value); }

template <class Struct, std::size_t N>
void WriteFields(const Struct& object, const std::array<PlanField<Struct>, N>& fields, OrderedJson& into) {
  for (const auto& field : fields) {
    std::visit(
        [&](auto member) {
          if (const auto& value = object.*member) into[std::string(field.name)] = ToJson(*value);
        },
        field.member);
  }
}

OrderedJson ToJson(const FaultAction& action) {
  OrderedJson json = {{"type", action.type}};
  WriteFields(action, kActionFields, json);
  return json;
}

OrderedJson ToJson(const FaultRule& rule) {
  OrderedJson match = OrderedJson::object();
  OrderedJson limits = OrderedJson::object();
  WriteFields(rule.match, kMatchFields, match);
  WriteFields(rule.limits, kLimitFields, limits);
  return {
      {"name", rule.name}, {"match", std::move(match)}, {"action", ToJson(rule.action)}, {"limits", std::move(limits)}};
}

OrderedJson ToJson(const FiredFault& fired) {
  OrderedJson json = {{"operation", fired.key.operation}};
  if (!fired.key.phase.empty()) json["phase"] = fired.key.phase;
  if (!fired.key.bucket.empty()) json["bucket"] = fired.key.bucket;
  if (!fired.key.object.empty()) json["object"] = fired.key.object;
  if (fired.key.range_start) json["rangeStart"] = *fired.key.range_start;
  json["arrival"] = fired.key.arrival;
  json["rule"] = fired.rule;
  json["action"] = ToJson(fired.action);
  return json;
}

OrderedJson ToJson(const FaultCount& count) {
  return {{"rule", count.rule}, {"matched", count.matched}, {"fired", count.fired}};
}

template <class Element>
OrderedJson ToArray(const std::vector<Element>& elements) {
  OrderedJson array = OrderedJson::array();
  for (const Element& element : elements) {
    ThrowIfInterrupted();
    array.push_back(ToJson(element));
  }
  return array;
}

}  // namespace

std::string RenderPlan(const FaultPlan& plan, const std::vector<FaultCount>& counts) {
  OrderedJson json = OrderedJson::object();
  if (plan.replay.empty()) {
    json["seed"] = plan.seed;
    json["rules"] = ToArray(plan.rules);
  } else {
    json["replay"] = ToArray(plan.replay);
  }
  json["counters"] = ToArray(counts);
  return json.dump();
}

std::string RenderSchedule(const std::vector<FiredFault>& schedule) {
  return OrderedJson{{"replay", ToArray(schedule)}}.dump();
}

}  // namespace gcsflux::emulator
