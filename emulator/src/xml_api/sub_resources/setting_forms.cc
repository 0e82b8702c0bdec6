#include "xml_api/sub_resources/setting_forms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "xml_api/xml_elements.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

enum class Kind { kText, kNumber, kBoolean, kList };

// A member of a setting. Its element has its name, with a capital first letter.
struct Member {
  std::string_view name;
  Kind kind = Kind::kText;
};

constexpr std::array kLoggingMembers = {Member{"logBucket"}, Member{"logObjectPrefix"}};
constexpr std::array kWebsiteMembers = {Member{"mainPageSuffix"}, Member{"notFoundPage"}};
constexpr std::array kEncryptionMembers = {Member{"defaultKmsKeyName"}};
constexpr std::array kConditionMembers = {
    Member{"age", Kind::kNumber},
    Member{"createdBefore"},
    Member{"customTimeBefore"},
    Member{"daysSinceCustomTime", Kind::kNumber},
    Member{"daysSinceNoncurrentTime", Kind::kNumber},
    Member{"isLive", Kind::kBoolean},
    Member{"matchesPrefix", Kind::kList},
    Member{"matchesStorageClass", Kind::kList},
    Member{"matchesSuffix", Kind::kList},
    Member{"noncurrentTimeBefore"},
    Member{"numNewerVersions", Kind::kNumber},
    Member{"sizeAboveBytes"},
    Member{"sizeBelowBytes"},
};

std::string ElementOf(const Member& member) {
  std::string name(member.name);
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

std::string JsonText(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

XmlError Malformed(std::string_view element) { return {XmlErrorCode::kMalformedXml, std::string(element)}; }

void WriteMembers(XmlWriter& xml, const Json& object, std::span<const Member> members) {
  for (const Member& member : members) {
    const auto found = object.find(std::string(member.name));
    if (found == object.end()) continue;
    const Json values = found->is_array() ? *found : Json::array({*found});
    for (const Json& value : values) xml.Element(ElementOf(member), JsonText(value));
  }
}

// Null if the text is no value of that kind.
Json ReadValue(Kind kind, const std::string& text) {
  if (kind == Kind::kText || kind == Kind::kList) return text;
  if (kind == Kind::kBoolean) return text == "true" || text == "false" ? Json(text == "true") : Json();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? Json(number) : Json();
}

XmlResult<Json> ReadMembers(const pugi::xml_node& node, std::span<const Member> members) {
  Json object = Json::object();
  XmlResult<void> done;
  ForEachElement(node, [&](std::string_view name, const pugi::xml_node& child) {
    const auto known =
        std::find_if(members.begin(), members.end(), [&](const Member& member) { return ElementOf(member) == name; });
    const Json value = known != members.end() ? ReadValue(known->kind, TextOf(child)) : Json();
    if (value.is_null()) {
      done = tl::unexpected(Malformed(name));
    } else if (known->kind == Kind::kList) {
      object[std::string(known->name)].push_back(value);
    } else {
      object[std::string(known->name)] = value;
    }
  });
  if (!done) return tl::unexpected(done.error());
  return object.empty() ? Json() : object;
}

template <const auto& members>
void WriteObject(XmlWriter& xml, const Json& setting) {
  if (setting.is_object()) WriteMembers(xml, setting, members);
}
template <const auto& members>
XmlResult<Json> ReadObject(const pugi::xml_node& root) {
  return ReadMembers(root, members);
}

void WriteLifecycle(XmlWriter& xml, const Json& setting) {
  if (!setting.is_object()) return;
  for (const Json& rule : setting.value("rule", Json::array())) {
    const Json action = rule.value("action", Json::object());
    const std::string type = action.value("type", "");
    xml.Begin("Rule");
    xml.Begin("Action");
    xml.Element(type, action.value("storageClass", ""));
    xml.End("Action");
    xml.Begin("Condition");
    WriteMembers(xml, rule.value("condition", Json::object()), kConditionMembers);
    xml.End("Condition");
    xml.End("Rule");
  }
}

XmlResult<Json> ReadRule(const pugi::xml_node& node) {
  Json rule = Json::object();
  XmlResult<void> done;
  ForEachElement(node, [&](std::string_view name, const pugi::xml_node& child) {
    if (name == "Action") {
      ForEachElement(child, [&](std::string_view type, const pugi::xml_node& action) {
        rule["action"]["type"] = type;
        if (const std::string storage_class = TextOf(action); !storage_class.empty()) {
          rule["action"]["storageClass"] = storage_class;
        }
      });
    } else if (name == "Condition") {
      const XmlResult<Json> condition = ReadMembers(child, kConditionMembers);
      if (!condition) done = tl::unexpected(condition.error());
      if (condition && !condition->is_null()) rule["condition"] = *condition;
    } else {
      done = tl::unexpected(Malformed(name));
    }
  });
  if (!done) return tl::unexpected(done.error());
  return rule;
}

XmlResult<Json> ReadLifecycle(const pugi::xml_node& root) {
  Json setting;
  XmlResult<void> done;
  ForEachElement(root, [&](std::string_view name, const pugi::xml_node& child) {
    const XmlResult<Json> rule = name == "Rule" ? ReadRule(child) : tl::unexpected(Malformed(name));
    if (!rule) done = tl::unexpected(rule.error());
    if (rule) setting["rule"].push_back(*rule);
  });
  if (!done) return tl::unexpected(done.error());
  return setting;
}

struct CorsList {
  const char* name;
  const char* list;
  const char* element;
};
constexpr std::array kCorsLists = {CorsList{"origin", "Origins", "Origin"}, CorsList{"method", "Methods", "Method"},
                                   CorsList{"responseHeader", "ResponseHeaders", "ResponseHeader"}};

void WriteCors(XmlWriter& xml, const Json& setting) {
  if (!setting.is_array()) return;
  for (const Json& entry : setting) {
    xml.Begin("Cors");
    for (const CorsList& list : kCorsLists) {
      if (!entry.contains(list.name)) continue;
      xml.Begin(list.list);
      for (const Json& value : entry.at(list.name)) xml.Element(list.element, JsonText(value));
      xml.End(list.list);
    }
    if (entry.contains("maxAgeSeconds")) xml.Element("MaxAgeSec", JsonText(entry.at("maxAgeSeconds")));
    xml.End("Cors");
  }
}

XmlResult<Json> ReadCorsEntry(const pugi::xml_node& node) {
  Json entry = Json::object();
  bool is_known = true;
  ForEachElement(node, [&](std::string_view name, const pugi::xml_node& child) {
    if (name == "MaxAgeSec") {
      entry["maxAgeSeconds"] = ReadValue(Kind::kNumber, TextOf(child));
      is_known = is_known && !entry["maxAgeSeconds"].is_null();
      return;
    }
    const auto* list =
        std::find_if(kCorsLists.begin(), kCorsLists.end(), [&](const CorsList& each) { return each.list == name; });
    is_known = is_known && list != kCorsLists.end();
    if (!is_known) return;
    ForEachElement(child, [&](std::string_view element, const pugi::xml_node& value) {
      is_known = is_known && element == list->element;
      entry[list->name].push_back(TextOf(value));
    });
  });
  if (!is_known) return tl::unexpected(Malformed("Cors"));
  return entry;
}

XmlResult<Json> ReadCors(const pugi::xml_node& root) {
  Json setting;
  XmlResult<void> done;
  ForEachElement(root, [&](std::string_view name, const pugi::xml_node& child) {
    const XmlResult<Json> entry = name == "Cors" ? ReadCorsEntry(child) : tl::unexpected(Malformed(name));
    if (!entry) done = tl::unexpected(entry.error());
    if (entry) setting.push_back(*entry);
  });
  if (!done) return tl::unexpected(done.error());
  return setting;
}

void WriteTags(XmlWriter& xml, const Json& setting) {
  xml.Begin("TagSet");
  for (const auto& [key, value] : setting.items()) {
    xml.Begin("Tag");
    xml.Element("Key", key);
    xml.Element("Value", JsonText(value));
    xml.End("Tag");
  }
  xml.End("TagSet");
}

XmlResult<Json> ReadTags(const pugi::xml_node& root) {
  Json setting;
  bool is_known = true;
  ForEachElement(root, [&](std::string_view set, const pugi::xml_node& tags) {
    is_known = is_known && set == "TagSet";
    ForEachElement(tags, [&](std::string_view /*name*/, const pugi::xml_node& tag) {
      const auto key = OnlyChild(tag, "Key");
      is_known = is_known && key && !key->empty();
      if (is_known) setting[*key] = OnlyChild(tag, "Value").value_or("");
    });
  });
  if (!is_known) return tl::unexpected(Malformed("TagSet"));
  return setting;
}

void WriteBilling(XmlWriter& xml, const Json& setting) {
  const bool is_on = setting.is_object() && setting.value("requesterPays", false);
  xml.Element("RequesterPays", is_on ? "Enabled" : "Disabled");
}

XmlResult<Json> ReadBilling(const pugi::xml_node& root) {
  const std::string text = OnlyChild(root, "RequesterPays").value_or("");
  if (text != "Enabled" && text != "Disabled") return tl::unexpected(Malformed("RequesterPays"));
  return Json{{"requesterPays", text == "Enabled"}};
}

void WriteText(XmlWriter& xml, const Json& setting) { xml.Text(JsonText(setting)); }
XmlResult<Json> ReadText(const pugi::xml_node& root) { return Json(TextOf(root)); }

constexpr std::array kForms = {
    SettingForm{"billing", "billing", "BillingConfiguration", &WriteBilling, &ReadBilling},
    SettingForm{"cors", "cors", "CorsConfig", &WriteCors, &ReadCors},
    SettingForm{"encryptionConfig", "encryption", "EncryptionConfiguration", &WriteObject<kEncryptionMembers>,
                &ReadObject<kEncryptionMembers>},
    SettingForm{"lifecycle", "lifecycle", "LifecycleConfiguration", &WriteLifecycle, &ReadLifecycle},
    SettingForm{"logging", "logging", "Logging", &WriteObject<kLoggingMembers>, &ReadObject<kLoggingMembers>},
    SettingForm{"storageClass", "storageClass", "StorageClass", &WriteText, &ReadText},
    SettingForm{"tagging", "labels", "Tagging", &WriteTags, &ReadTags},
    SettingForm{"websiteConfig", "website", "WebsiteConfiguration", &WriteObject<kWebsiteMembers>,
                &ReadObject<kWebsiteMembers>},
};

}  // namespace

const SettingForm& FindSettingForm(std::string_view sub_resource) {
  return *std::find_if(kForms.begin(), kForms.end(),
                       [&](const SettingForm& form) { return form.sub_resource == sub_resource; });
}

}  // namespace gcsflux::emulator
