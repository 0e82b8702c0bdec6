#include "entrance/preview_request.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "bodies/multipart.h"
#include "http/content_range.h"
#include "http/target.h"
#include "http/which_api.h"
#include "journal/client_attempt.h"
#include "json_api/resource_requests.h"
#include "json_api/router.h"
#include "operations/operation.h"
#include "xml_api/xml_requests.h"
#include "xml_api/xml_router.h"

namespace gcsflux::emulator {
namespace {

// Enough for the metadata before an upload's bytes: custom metadata may have 8 KiB.
constexpr std::size_t kPeeked = std::size_t{64} << 10;
// No list of objects to be deleted is longer.
constexpr std::size_t kPeekedList = std::size_t{4} << 20;

std::string NameIn(std::string_view metadata) {
  const ApiResult<ObjectResource> resource = ParseObjectResource(std::string(metadata));
  return resource ? resource->name.value_or("") : std::string();
}

std::optional<std::uint64_t> FirstByteOf(const std::string* range) {
  constexpr std::string_view kUnit = "bytes=";
  if (range == nullptr || !range->starts_with(kUnit)) return std::nullopt;
  std::uint64_t first = 0;
  const auto [end, error] = std::from_chars(range->data() + kUnit.size(), range->data() + range->size(), first);
  return error == std::errc() ? std::optional(first) : std::nullopt;
}

void PreviewSession(const HttpRequest& request, const QueryParameters& query, bool is_cancel,
                    ResumableSessions& sessions, RequestPreview& preview) {
  if (const auto session = sessions.Find(query.Value("upload_id"))) preview.subject.object = session->pending().name;
  preview.subject.phase = is_cancel ? "cancel" : "final";
  const std::string* header = request.headers.Find("content-range");
  const std::optional<ContentRange> range = header != nullptr ? ParseContentRange(*header) : std::nullopt;
  if (is_cancel || !range) return;
  if (!range->bytes) {
    preview.subject.phase = "status";
    return;
  }
  preview.range_start = range->bytes->first;
  const bool is_final = !range->bytes->last || (range->total && *range->bytes->last + 1 == *range->total);
  if (!is_final) preview.subject.phase = "chunk";
}

void PreviewInsert(const HttpRequest& request, const QueryParameters& query, PeekedBody& body,
                   RequestPreview& preview) {
  const std::string type = query.Value("uploadType");
  const std::string* name = query.Find("name");
  if (name != nullptr) preview.subject.object = *name;
  if (type == "resumable") {
    preview.subject.phase = "start";
    if (name == nullptr) preview.subject.object = NameIn(body.Peek(kPeeked));
  }
  if (type == "multipart") {
    const std::string* content_type = request.headers.Find("content-type");
    const std::string beginning(body.Peek(kPeeked));
    const auto start = FindMedia(content_type != nullptr ? *content_type : "", Rope(beginning));
    preview.media_offset = start ? start->media_begin : 0;
    if (name == nullptr && start) preview.subject.object = NameIn(start->metadata);
  }
}

void PreviewJson(const HttpRequest& request, const Target& target, PeekedBody& body, ResumableSessions& sessions,
                 RequestPreview& preview) {
  ApiResult<Route> route = FindRoute(JsonOperations(), request.method, target);
  if (!route) {
    auto unserved = FindUnservedMethod(request.method, target.segments);
    if (!unserved) return;
    preview.subject = {
        .operation = unserved->name, .bucket = std::move(unserved->bucket), .object = std::move(unserved->object)};
    return;
  }
  const Transfer transfer = route->operation->transfer;
  preview.subject = {
      .operation = route->operation->name, .bucket = std::move(route->bucket), .object = std::move(route->object)};
  const bool is_media =
      transfer == Transfer::kMedia || (transfer == Transfer::kMediaIfAsked && target.query.Value("alt") == "media");
  preview.is_media_read = is_media && request.method != "HEAD";
  const bool is_cancel = transfer == Transfer::kCancel;
  if (is_cancel || transfer == Transfer::kSession) {
    PreviewSession(request, target.query, is_cancel, sessions, preview);
  } else if (transfer == Transfer::kInsert) {
    PreviewInsert(request, target.query, body, preview);
  }
}

// The names in the body of a deletion of several objects.
std::vector<std::string> DeletedBy(PeekedBody& body) {
  std::vector<std::string> names;
  XmlResult<ObjectsToDelete> objects = ParseDelete(body.Peek(kPeekedList));
  if (!objects) return names;  // It is refused.
  for (ObjectsToDelete::Entry& entry : objects->entries) names.push_back(std::move(entry.name));
  return names;
}

void PreviewXml(const HttpRequest& request, const Target& target, PeekedBody& body, RequestPreview& preview) {
  preview.is_xml = true;
  const XmlResult<XmlRoute> route = FindXmlRoute(request, target);
  if (!route) return;
  preview.subject = SubjectOf(*route);
  preview.is_media_read = route->operation->transfer == Transfer::kMedia;
  const bool is_list = preview.subject.operation == "storage.objects.delete" && preview.subject.object.empty();
  if (is_list) preview.deleted = DeletedBy(body);
}

}  // namespace

RequestPreview PreviewRequest(const HttpRequest& request, PeekedBody& body, ResumableSessions& sessions) {
  RequestPreview preview;
  if (const std::string* client = request.headers.Find("x-goog-api-client")) {
    ClientAttempt attempt = ParseClientAttempt(*client);
    preview.invocation_id = std::move(attempt.invocation_id);
    preview.attempt = attempt.attempt;
  }
  const ApiResult<Target> target = ParseTarget(request.target);
  if (!target) return preview;
  if (IsXmlRequest(request)) {
    PreviewXml(request, *target, body, preview);
  } else {
    PreviewJson(request, *target, body, sessions, preview);
  }
  if (preview.is_media_read) preview.range_start = FirstByteOf(request.headers.Find("range"));
  return preview;
}

}  // namespace gcsflux::emulator
