#include "xml_api/form_post.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/post_policy.h"
#include "base/letter_case.h"
#include "bodies/multipart_reader.h"
#include "bodies/receive_body.h"
#include "http/target.h"
#include "http/xml_writer.h"
#include "xml_api/xml_etag.h"
#include "xml_api/xml_objects.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kMaxField = 20'480;

struct Form {
  FormFields fields = {};
  std::string file_name = {};
  std::string file_type = {};
  Rope file = {};
};

tl::unexpected<XmlError> BadForm(std::string why) { return XmlFail(XmlErrorCode::kInvalidArgument, std::move(why)); }

// `NAME="value"` of a Content-Disposition.
std::string ParameterOf(const std::string& disposition, const std::string& name) {
  const std::size_t at = disposition.find("; " + name + "=\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 4;
  return disposition.substr(begin, disposition.find('"', begin) - begin);
}

XmlResult<Form> ReadForm(const XmlCall& call, const Rope& body) {
  auto reader = MultipartReader::Make(HeaderValue(call, "content-type"), "multipart/form-data", body);
  if (!reader) return BadForm("A POST to a bucket must be multipart/form-data.");
  Form form;
  while (const auto head = reader->NextHead()) {
    const std::string* disposition = head->headers.Find("content-disposition");
    const std::string name = disposition != nullptr ? LowerCase(ParameterOf(*disposition, "name")) : "";
    const std::optional<Rope> content = reader->Content(*head);
    if (name.empty() || !content) return BadForm("A part of the form has no name, or does not end.");
    if (name == "file") {
      form.file_name = ParameterOf(*disposition, "filename");
      const std::string* type = head->headers.Find("content-type");
      form.file_type = type != nullptr ? *type : "";
      form.file = *content;
      return form;
    }
    if (content->size() > kMaxField) return BadForm("The field " + name + " is too long.");
    form.fields[name] = content->ToString();
  }
  return BadForm("The form has no file.");
}

// The name of the object, with that of the file in the place of ${filename}.
XmlResult<void> SettleKey(const XmlCall& call, Form& form) {
  constexpr std::string_view kFileName = "${filename}";
  const std::string bucket = FieldOf(form.fields, "bucket");
  if (!bucket.empty() && bucket != call.route.bucket) return BadForm("The field bucket names another bucket.");
  form.fields["bucket"] = call.route.bucket;
  std::string& key = form.fields["key"];
  if (const std::size_t at = key.find(kFileName); at != std::string::npos) {
    key.replace(at, kFileName.size(), form.file_name);
  }
  if (key.empty()) return BadForm("The form has no key.");
  return {};
}

// The form as a PUT of the object, whose headers are its fields.
HttpRequest AsPut(const XmlCall& call, const Form& form) {
  HttpRequest put{.method = "PUT", .target = call.request.target};
  for (const auto& [name, value] : form.fields) {
    const bool is_amz = name.starts_with("x-amz-");
    put.headers.Add(name == "acl" ? "x-goog-acl" : is_amz ? "x-goog-" + name.substr(6) : name, value);
  }
  if (!form.fields.contains("content-type") && !form.file_type.empty()) put.headers.Add("Content-Type", form.file_type);
  return put;
}

XmlResult<Caller> IdentifyForm(const Store& store, const Authorizer& authorizer, const Form& form) {
  if (const std::string policy = FieldOf(form.fields, "policy"); !policy.empty()) {
    const auto fulfilled = CheckPostPolicy(policy, form.fields, form.file.size(), store.now());
    if (!fulfilled) return tl::unexpected(ToXmlError(fulfilled.error()));
  }
  ApiResult<Caller> caller = authorizer.IdentifyForm(form.fields);
  if (!caller) return tl::unexpected(ToXmlError(caller.error()));
  return *std::move(caller);
}

XmlResult<ObjectPtr> StoreFile(const XmlCall& put, Bucket& bucket, Form form) {
  if (auto named = CheckName(put); !named) return tl::unexpected(named.error());
  auto allowed = put.caller.Require(Permission::kObjectsCreate, put.route.bucket);
  if (allowed) allowed = RequireReplace(put.caller, bucket, put.route.object);
  if (!allowed) return tl::unexpected(ToXmlError(allowed.error()));
  XmlResult<ObjectAttributes> attributes = ReadAttributes(put);
  if (!attributes) return tl::unexpected(attributes.error());
  if (attributes->content_type.empty()) attributes->content_type = "binary/octet-stream";
  const XmlResult<Preconditions> preconditions = ReadPreconditions(put);
  if (!preconditions) return tl::unexpected(preconditions.error());
  if (auto access = SettleXmlAcl(put, *bucket.info(), *attributes); !access) return tl::unexpected(access.error());
  Outcome<ObjectPtr> stored = bucket.InsertObject({.name = put.route.object,
                                                   .attributes = *std::move(attributes),
                                                   .body = std::make_shared<const Body>(form.file.Compact()),
                                                   .may_replace = put.caller.MayReplace(put.route.bucket)},
                                                  *preconditions);
  if (!stored) return tl::unexpected(ToObjectError(put, stored.error()));
  return *std::move(stored);
}

HttpResponse FormResponse(const XmlCall& call, const FormFields& fields, const Object& object) {
  const std::string redirect = FieldOf(fields, "success_action_redirect");
  const std::string status = FieldOf(fields, "success_action_status");
  const std::string location = call.base_url + "/" + call.route.bucket + "/" + EncodePath(object.name);
  if (!redirect.empty()) {
    HttpResponse response{.status = 303};
    const std::string query = "bucket=" + call.route.bucket + "&key=" + EncodeSegment(object.name) +
                              "&etag=" + EncodeSegment(XmlEtag(object));
    response.headers.Add("Location", redirect + (redirect.find('?') == std::string::npos ? "?" : "&") + query);
    return response;
  }
  if (status != "201") {
    HttpResponse response{.status = status == "200" ? 200 : 204};
    response.headers.Add("ETag", XmlEtag(object));
    response.headers.Add("Location", location);
    return response;
  }
  XmlWriter xml;
  xml.Begin("PostResponse");
  xml.Element("Location", location);
  xml.Element("Bucket", call.route.bucket);
  xml.Element("Key", object.name);
  xml.Element("ETag", XmlEtag(object));
  xml.End("PostResponse");
  HttpResponse response = XmlResponse(std::move(xml));
  response.status = 201;
  response.headers.Add("Location", location);
  return response;
}

}  // namespace

XmlResult<HttpResponse> PostXmlForm(const Store& store, const Authorizer& authorizer, const XmlCall& call) {
  const auto bucket = FindXmlBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const ReceivedBody received = ReceiveBody(call.body);
  if (!received.is_whole) return XmlFail(XmlErrorCode::kIncompleteBody);
  XmlResult<Form> form = ReadForm(call, received.bytes);
  if (!form) return tl::unexpected(form.error());
  if (auto settled = SettleKey(call, *form); !settled) return tl::unexpected(settled.error());
  const XmlResult<Caller> caller = IdentifyForm(store, authorizer, *form);
  if (!caller) return tl::unexpected(caller.error());
  const HttpRequest as_put = AsPut(call, *form);
  XmlCall put{.request = as_put,
              .body = call.body,
              .subject = call.subject,
              .route = call.route,
              .query = call.query,
              .base_url = call.base_url,
              .caller = *caller};
  put.route.object = call.subject.object = FieldOf(form->fields, "key");
  const FormFields fields = form->fields;
  const XmlResult<ObjectPtr> stored = StoreFile(put, **bucket, *std::move(form));
  if (!stored) return tl::unexpected(stored.error());
  call.subject.committed_generation = (*stored)->generation;
  return FormResponse(call, fields, **stored);
}

}  // namespace gcsflux::emulator
