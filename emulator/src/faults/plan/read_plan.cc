#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/interruption.h"
#include "faults/plan/check_plan.h"
#include "faults/plan/json_position.h"
#include "faults/plan/plan_error.h"
#include "faults/plan/seconds_text.h"
#include "faults/tools/plan_fields.h"
#include "json/bounded_json.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

// "rules[0].match.nth".
std::string NameOf(const JsonPath& path) {
  std::string name;
  for (const auto& step : path) {
    const auto* index = std::get_if<std::size_t>(&step);
    name +=
        index != nullptr ? "[" + std::to_string(*index) + "]" : (name.empty() ? "" : ".") + std::get<std::string>(step);
  }
  return name.empty() ? "the document" : name;
}

// A value and its position. Valid as long as the document.
struct Node {
  const Json& value;
  JsonPath path = {};

  [[noreturn]] void Refuse(const std::string& text) const { throw PlanError(path, NameOf(path) + " " + text); }
  template <class Step>
  [[nodiscard]] Node Child(const Json& child, Step step) const {
    JsonPath child_path = path;
    child_path.emplace_back(std::move(step));
    return {child, std::move(child_path)};
  }

  void Read(std::string& into) const {
    if (!value.is_string()) Refuse("must be a string");
    into = value.get<std::string>();
  }
  void Read(std::uint64_t& into) const {
    if (!value.is_number_unsigned()) Refuse("must be a whole number, and not negative");
    into = value.get<std::uint64_t>();
  }
  void Read(std::int64_t& into) const {
    const bool is_too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
    if (!value.is_number_integer() || is_too_large) Refuse("must be a whole number");
    into = value.get<std::int64_t>();
  }
  void Read(double& into) const {
    if (!value.is_number()) Refuse("must be a number");
    into = value.get<double>();
  }
  void Read(bool& into) const {
    if (!value.is_boolean()) Refuse("must be true or false");
    into = value.get<bool>();
  }
  void Read(std::chrono::nanoseconds& into) const {
    const auto time = value.is_string() ? ParseSeconds(value.get_ref<const std::string&>()) : std::nullopt;
    if (!time) Refuse("must be seconds in a string, such as \"1.5s\"");
    into = *time;
  }
  template <class T>
  void Read(std::optional<T>& into) const {
    Read(into.emplace());
  }

  /// Calls `read(name, member)` for each member. If it returns false, the member is not known.
  template <class Take>
  void ReadMembers(Take&& read) const {
    if (!value.is_object()) Refuse("must be a JSON object");
    for (const auto& [name, member] : value.items()) {
      ThrowIfInterrupted();
      const Node child = Child(member, name);
      if (!read(name, child)) child.Refuse("is not a known field");
    }
  }
  template <class Element, class Read>
  [[nodiscard]] std::vector<Element> ReadList(Read&& read) const {
    if (!value.is_array()) Refuse("must be a JSON array");
    std::vector<Element> list;
    for (const Json& element : value) list.push_back(read(Child(element, list.size())));
    return list;
  }
};

template <class Struct, std::size_t N>
bool ReadField(const std::string& name, const Node& node, const std::array<PlanField<Struct>, N>& fields,
               Struct& into) {
  for (const auto& field : fields) {
    if (field.name != name) continue;
    std::visit([&](auto member) { node.Read(into.*member); }, field.member);
    return true;
  }
  return false;
}

template <class Struct, std::size_t N>
void ReadStruct(const Node& node, const std::array<PlanField<Struct>, N>& fields, Struct& into) {
  node.ReadMembers([&](const std::string& name, const Node& member) { return ReadField(name, member, fields, into); });
}

void ReadAction(const Node& node, FaultAction& action) {
  node.ReadMembers([&](const std::string& name, const Node& member) {
    if (name != "type") return ReadField(name, member, kActionFields, action);
    member.Read(action.type);
    return true;
  });
}

FaultRule ReadRule(const Node& node) {
  FaultRule rule;
  node.ReadMembers([&](const std::string& name, const Node& member) {
    if (name == "name") return member.Read(rule.name), true;
    if (name == "match") return ReadStruct(member, kMatchFields, rule.match), true;
    if (name == "action") return ReadAction(member, rule.action), true;
    if (name == "limits") return ReadStruct(member, kLimitFields, rule.limits), true;
    return false;
  });
  return rule;
}

FiredFault ReadFired(const Node& node) {
  FiredFault fired;
  node.ReadMembers([&](const std::string& name, const Node& member) {
    if (name == "operation") return member.Read(fired.key.operation), true;
    if (name == "phase") return member.Read(fired.key.phase), true;
    if (name == "bucket") return member.Read(fired.key.bucket), true;
    if (name == "object") return member.Read(fired.key.object), true;
    if (name == "rangeStart") return member.Read(fired.key.range_start), true;
    if (name == "arrival") return member.Read(fired.key.arrival), true;
    if (name == "rule") return member.Read(fired.rule), true;
    if (name == "action") return ReadAction(member, fired.action), true;
    return false;
  });
  return fired;
}

FaultPlan ReadPlan(const Node& node) {
  FaultPlan plan;
  node.ReadMembers([&](const std::string& name, const Node& member) {
    if (name == "seed") return member.Read(plan.seed), true;
    if (name == "rules") return plan.rules = member.ReadList<FaultRule>(ReadRule), true;
    if (name == "replay") return plan.replay = member.ReadList<FiredFault>(ReadFired), true;
    return name == "counters";  // RenderPlan() writes them: a plan that was shown can be loaded again
  });
  return plan;
}

[[noreturn]] void RefuseNumber(std::string_view text, std::size_t at) {
  throw std::invalid_argument("fault plan: " + PositionOf(text, at) + ": " + NameOf(PathTo(text, at)) +
                              " is a number that is too large");
}

Json Parse(std::string_view text) {
  if (const auto excess = FindExcess(text, kOnlyDepth)) throw std::invalid_argument("fault plan: " + *excess);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = error.byte != 0 ? error.byte - 1 : 0;
    throw std::invalid_argument("fault plan: " + PositionOf(text, at) + ": is not JSON");
  } catch (const Json::out_of_range&) {
    RefuseNumber(text, FindHugeNumber(text));
  }
}

}  // namespace

FaultPlan ParseFaultPlan(std::string_view text) {
  const Json document = Parse(text);
  if (const auto repeated = FindRepeatedName(text)) {
    throw std::invalid_argument("fault plan: " + PositionOf(text, *repeated) + ": occurs twice");
  }
  try {
    return CheckPlan(ReadPlan(Node{document}));
  } catch (const PlanError& error) {
    throw std::invalid_argument("fault plan: " + PositionOf(text, FindValue(text, error.path())) + ": " + error.text());
  }
}

}  // namespace gcsflux::emulator
