#include "xml_api/http_conditions.h"

#include <chrono>
#include <string>

#include "http/entity_tags.h"
#include "xml_api/xml_etag.h"

namespace gcsflux::emulator {
namespace {

// With the header's precision.
bool IsModifiedSince(const Object& object, Time since) {
  return std::chrono::floor<std::chrono::seconds>(object.updated) > since;
}

}  // namespace

XmlResult<void> CheckHttpConditions(const XmlCall& call, const ConditionHeaders& headers, const Object& object) {
  const auto fail = [&](XmlErrorCode code, std::string_view header) { return XmlFail(code, std::string(header)); };
  const HttpHeaders& given = call.request.headers;
  const auto date = [&](std::string_view name) { return ParseHttpDate(HeaderValue(call, name)); };
  if (const auto etags = given.FindAll(headers.if_match)) {
    if (!ListsEntityTag(*etags, XmlEtag(object))) return fail(XmlErrorCode::kPreconditionFailed, headers.if_match);
  } else if (const auto since = date(headers.if_unmodified_since); since && IsModifiedSince(object, *since)) {
    return fail(XmlErrorCode::kPreconditionFailed, headers.if_unmodified_since);
  }
  if (const auto etags = given.FindAll(headers.if_none_match)) {
    if (ListsEntityTag(*etags, XmlEtag(object))) return fail(XmlErrorCode::kNotModified, headers.if_none_match);
  } else if (const auto since = date(headers.if_modified_since); since && !IsModifiedSince(object, *since)) {
    return fail(XmlErrorCode::kNotModified, headers.if_modified_since);
  }
  return {};
}

}  // namespace gcsflux::emulator
