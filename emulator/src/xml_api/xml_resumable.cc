#include "xml_api/xml_resumable.h"

#include <string>
#include <utility>

#include "http/target.h"
#include "xml_api/xml_objects.h"

namespace gcsflux::emulator {

XmlResult<HttpResponse> StartXmlSession(const Store& store, ResumableSessions& sessions, const XmlCall& call) {
  const std::string asked = HeaderValue(call, "x-goog-resumable");
  if (asked.empty()) return XmlFail(XmlErrorCode::kMethodNotAllowed);
  if (asked != "start") return XmlFail(XmlErrorCode::kInvalidArgument, "x-goog-resumable: " + asked);
  auto bucket = FindXmlBucket(store, call);
  if (!bucket) return tl::unexpected(bucket.error());
  if (auto named = CheckName(call); !named) return tl::unexpected(named.error());
  const XmlResult<Preconditions> preconditions = ReadPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  XmlResult<ObjectAttributes> attributes = ReadAttributes(call);
  if (!attributes) return tl::unexpected(attributes.error());
  if (attributes->content_type.empty()) attributes->content_type = "application/octet-stream";
  XmlResult<ObjectEncryption> encryption = ReadEncryption(call);
  if (!encryption) return tl::unexpected(encryption.error());
  if (auto access = SettleXmlAcl(call, *(*bucket)->info(), *attributes); !access) {
    return tl::unexpected(access.error());
  }
  const Outcome<std::string> id = sessions.Start({.bucket = *std::move(bucket),
                                                  .name = call.route.object,
                                                  .attributes = *std::move(attributes),
                                                  .preconditions = *preconditions,
                                                  .encryption = *std::move(encryption),
                                                  .may_replace = call.caller.MayReplace(call.route.bucket)},
                                                 std::nullopt);
  if (!id) return tl::unexpected(ToXmlError(id.error(), XmlErrorCode::kNoSuchBucket));
  HttpResponse response{.status = 201};
  response.headers.Add("Location", call.base_url + "/upload/storage/v1/b/" + call.route.bucket +
                                       "/o?uploadType=resumable&name=" + EncodeSegment(call.route.object) +
                                       "&upload_id=" + *id);
  response.headers.Add("X-GUploader-UploadID", *id);
  return response;
}

}  // namespace gcsflux::emulator
