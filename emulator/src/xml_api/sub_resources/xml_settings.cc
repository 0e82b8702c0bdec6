#include "xml_api/sub_resources/xml_settings.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "api/bucket_requests.h"
#include "http/xml_writer.h"
#include "xml_api/sub_resources/setting_forms.h"
#include "xml_api/xml_elements.h"
#include "xml_api/xml_objects.h"
#include "xml_api/xml_upload_body.h"

namespace gcsflux::emulator {
namespace {

using Json = nlohmann::json;

const SettingForm& FormOf(const XmlCall& call) {
  const std::string_view request = call.route.operation->request;
  return FindSettingForm(request.substr(request.find('?') + 1));
}

Json ValueOf(const BucketInfo& info, const SettingForm& form) {
  if (form.setting == "storageClass") return info.storage_class;
  const auto found = info.settings.find(std::string(form.setting));
  return found != info.settings.end() ? Json::parse(found->second) : Json();
}

XmlResult<Json> ReadSetting(const XmlCall& call, const SettingForm& form) {
  const XmlResult<std::string> text = ReceiveXml(call);
  if (!text) return tl::unexpected(text.error());
  pugi::xml_document document;
  const auto root = ParseRoot(document, *text, std::string(form.root));
  if (!root) return tl::unexpected(root.error());
  return form.read(*root);
}

}  // namespace

XmlResult<HttpResponse> GetXmlSetting(const Store& store, const XmlCall& call) {
  const auto bucket = FindXmlBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const SettingForm& form = FormOf(call);
  XmlWriter xml;
  xml.Begin(form.root);
  form.write(xml, ValueOf(*(*bucket)->info(), form));
  xml.End(form.root);
  return XmlResponse(std::move(xml));
}

XmlResult<HttpResponse> PutXmlSetting(const Store& store, const XmlCall& call) {
  const auto bucket = FindXmlBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const SettingForm& form = FormOf(call);
  const XmlResult<Json> setting = ReadSetting(call, form);
  if (!setting) return tl::unexpected(setting.error());
  const std::string name(form.setting);
  // A patch would join the old and the new one.
  const auto unset = ParseBucketPatch(Json{{name, nullptr}}.dump());
  const auto set = ParseBucketPatch(Json{{name, *setting}}.dump());
  if (!set) return tl::unexpected(ToXmlError(set.error()));
  const XmlResult<Preconditions> preconditions = ReadBucketPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  const auto changed = (*bucket)->ChangeInfo(*preconditions, [&](BucketInfo& info) {
    const Outcome<void> done = (*unset)(info);
    return done ? (*set)(info) : done;
  });
  if (!changed) return tl::unexpected(ToXmlError(changed.error(), XmlErrorCode::kNoSuchBucket));
  return HttpResponse();
}

}  // namespace gcsflux::emulator
