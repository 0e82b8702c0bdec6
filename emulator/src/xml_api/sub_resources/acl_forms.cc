#include "xml_api/sub_resources/acl_forms.h"

#include <algorithm>
#include <array>
#include <optional>
#include <pugixml.hpp>
#include <utility>

#include "xml_api/xml_elements.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kSchema = "http://www.w3.org/2001/XMLSchema-instance";
constexpr std::string_view kAllUsers = "http://acs.amazonaws.com/groups/global/AllUsers";
constexpr std::string_view kAuthenticatedUsers = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers";

struct RoleName {
  std::string_view role;
  std::string_view permission;
};
constexpr std::array kRoles = {RoleName{"OWNER", "FULL_CONTROL"}, RoleName{"WRITER", "WRITE"},
                               RoleName{"READER", "READ"}};

std::string_view PermissionOf(std::string_view role) {
  const auto* found =
      std::find_if(kRoles.begin(), kRoles.end(), [&](const RoleName& each) { return each.role == role; });
  return found != kRoles.end() ? found->permission : role;
}

std::string RoleOf(std::string_view permission) {
  const auto* found =
      std::find_if(kRoles.begin(), kRoles.end(), [&](const RoleName& each) { return each.permission == permission; });
  return std::string(found != kRoles.end() ? found->role : permission);
}

// How each kind of entity is written: its prefix, its scope and the element that names it. The teams of a project have
// an opaque id on the service; here it is the entity itself.
struct ScopeForm {
  std::string_view prefix;
  std::string_view scope;
  std::string_view element;
};
constexpr std::array kScopes = {ScopeForm{"user-", "UserByEmail", "EmailAddress"},
                                ScopeForm{"group-", "GroupByEmail", "EmailAddress"},
                                ScopeForm{"domain-", "GroupByDomain", "Domain"}, ScopeForm{"", "GroupById", "ID"}};

void WriteScope(XmlWriter& xml, const std::string& entity) {
  if (IsPublic(entity)) {
    xml.Begin("Scope", {{"type", entity == "allUsers" ? "AllUsers" : "AllAuthenticatedUsers"}});
    return xml.End("Scope");
  }
  const auto* form = std::find_if(kScopes.begin(), kScopes.end(),
                                  [&](const ScopeForm& each) { return entity.starts_with(each.prefix); });
  xml.Begin("Scope", {{"type", form->scope}});
  xml.Element(form->element, std::string_view(entity).substr(form->prefix.size()));
  xml.End("Scope");
}

void WriteGrantee(XmlWriter& xml, const std::string& entity) {
  const auto begin = [&](std::string_view type) { xml.Begin("Grantee", {{"xmlns:xsi", kSchema}, {"xsi:type", type}}); };
  if (IsPublic(entity)) {
    begin("Group");
    xml.Element("URI", entity == "allUsers" ? kAllUsers : kAuthenticatedUsers);
  } else {
    begin("CanonicalUser");
    xml.Element("ID", entity);
    xml.Element("DisplayName", entity);
  }
  xml.End("Grantee");
}

std::optional<std::string> EntityOfScope(const pugi::xml_node& scope) {
  const std::string_view type = scope.attribute("type").value();
  if (type == "AllUsers") return "allUsers";
  if (type == "AllAuthenticatedUsers") return "allAuthenticatedUsers";
  for (const ScopeForm& form : kScopes) {
    const auto text = OnlyChild(scope, form.element);
    const bool is_by_id = form.element == "ID" && (type == "UserById" || type == "GroupById");
    if (text && (type == form.scope || is_by_id)) return std::string(form.prefix) + *text;
  }
  return std::nullopt;
}

std::optional<std::string> EntityOfGrantee(const pugi::xml_node& grantee) {
  if (const auto uri = OnlyChild(grantee, "URI")) {
    if (*uri == kAllUsers) return "allUsers";
    return *uri == kAuthenticatedUsers ? std::optional<std::string>("allAuthenticatedUsers") : std::nullopt;
  }
  if (const auto email = OnlyChild(grantee, "EmailAddress")) return "user-" + *email;
  return OnlyChild(grantee, "ID");
}

// <Entry><Permission/><Scope/></Entry>, or <Grant><Permission/><Grantee/></Grant>
XmlResult<AccessControl> ReadEntry(const pugi::xml_node& node) {
  std::optional<std::string> entity;
  ForEachElement(node, [&](std::string_view name, const pugi::xml_node& child) {
    if (name == "Scope") entity = EntityOfScope(child);
    if (name == "Grantee") entity = EntityOfGrantee(child);
  });
  const auto permission = OnlyChild(node, "Permission");
  if (!entity || !permission) return XmlFail(XmlErrorCode::kMalformedXml, "An entry needs a scope and a permission.");
  return AccessControl{*entity, RoleOf(*permission)};
}

}  // namespace

void WriteAcl(XmlWriter& xml, AclForm form, const std::string& owner, const AccessControlList& acl) {
  const bool is_s3 = form == AclForm::kS3;
  const std::string_view root = is_s3 ? "AccessControlPolicy" : "AccessControlList";
  const std::string_view list = is_s3 ? "AccessControlList" : "Entries";
  const std::string_view item = is_s3 ? "Grant" : "Entry";
  is_s3 ? xml.Begin(root, kMultipartXmlns) : xml.Begin(root);
  xml.Begin("Owner");
  xml.Element("ID", owner);
  xml.End("Owner");
  xml.Begin(list);
  for (const AccessControl& entry : acl) {
    xml.Begin(item);
    is_s3 ? WriteGrantee(xml, entry.entity) : void();
    xml.Element("Permission", PermissionOf(entry.role));
    is_s3 ? void() : WriteScope(xml, entry.entity);
    xml.End(item);
  }
  xml.End(list);
  xml.End(root);
}

XmlResult<AccessControlList> ReadAcl(std::string_view text, AclKind kind) {
  pugi::xml_document document;
  const auto root = ParseRoot(document, text, "");
  if (!root) return tl::unexpected(root.error());
  const bool is_s3 = LocalName(*root) == "AccessControlPolicy";
  if (!is_s3 && LocalName(*root) != "AccessControlList") return XmlFail(XmlErrorCode::kMalformedXml, "No list.");
  AccessControlList acl;
  XmlResult<void> done;
  ForEachElement(*root, [&](std::string_view list, const pugi::xml_node& entries) {
    if (list != (is_s3 ? "AccessControlList" : "Entries")) return;
    ForEachElement(entries, [&](std::string_view /*name*/, const pugi::xml_node& node) {
      const XmlResult<AccessControl> entry = ReadEntry(node);
      if (!entry) {
        done = tl::unexpected(entry.error());
      } else if (auto checked = CheckAccessControl(*entry, kind); !checked) {
        done = XmlFail(XmlErrorCode::kInvalidArgument, checked.error().message);
      } else {
        SetEntry(acl, *entry);
      }
    });
  });
  if (!done) return tl::unexpected(done.error());
  return acl;
}

}  // namespace gcsflux::emulator
