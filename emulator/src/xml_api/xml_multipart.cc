#include "xml_api/xml_multipart.h"

#include <string>
#include <utility>
#include <vector>

#include "api/encryption_headers.h"
#include "base/time_format.h"
#include "http/byte_range.h"
#include "http/hash_text.h"
#include "http/target.h"
#include "http/xml_writer.h"
#include "store/objects/customer_key.h"
#include "xml_api/xml_copy.h"
#include "xml_api/xml_etag.h"
#include "xml_api/xml_multipart_pages.h"
#include "xml_api/xml_objects.h"
#include "xml_api/xml_requests.h"
#include "xml_api/xml_upload_body.h"

namespace gcsflux::emulator {
namespace {

constexpr std::int64_t kMaxPage = 1000;  // of parts and of uploads

XmlErrorCode ToCode(MultipartFailure failure) {
  switch (failure) {
    case MultipartFailure::kNoSuchUpload: return XmlErrorCode::kNoSuchUpload;
    case MultipartFailure::kBeingCompleted: return XmlErrorCode::kServiceUnavailable;
    case MultipartFailure::kInvalidPart: return XmlErrorCode::kInvalidPart;
    case MultipartFailure::kInvalidPartOrder: return XmlErrorCode::kInvalidPartOrder;
    case MultipartFailure::kTooSmall: return XmlErrorCode::kEntityTooSmall;
    case MultipartFailure::kUnavailable: return XmlErrorCode::kServiceUnavailable;
  }
  return XmlErrorCode::kInternalError;
}

// GCS says: "Preconditions are not supported in the requests".
constexpr std::string_view kMultipartUpload = "A multipart upload";

XmlResult<int> ReadPartNumber(const XmlCall& call) {
  const auto number = Int64Parameter(call, "partNumber");
  if (!number) return tl::unexpected(number.error());
  if (*number && **number >= 1 && **number <= kMaxPartNumber) return static_cast<int>(**number);
  return XmlFail(XmlErrorCode::kInvalidArgument, "partNumber must be between 1 and 10000.");
}

// A part shows the key that the upload was initiated with.
XmlResult<void> CheckPartKey(const XmlCall& call, const ObjectEncryption& encryption) {
  const ApiResult<std::string> key = ReadCustomerKey(call.request.headers);
  if (!key) return tl::unexpected(ToXmlError(key.error()));
  const Outcome<void> checked = CheckCustomerKey(encryption.customer_key_sha256, *key);
  return checked ? XmlResult<void>() : tl::unexpected(ToXmlError(checked.error(), XmlErrorCode::kNoSuchUpload));
}

// The object's future URL, with the host that the client used.
std::string Location(const XmlCall& call) {
  std::string location = call.base_url;
  if (!call.route.is_virtual_host_style) location += "/" + call.route.bucket;
  return location + "/" + EncodePath(call.route.object);
}

HttpResponse CompleteResponse(const XmlCall& call, const Object& object) {
  XmlWriter xml;
  xml.Begin("CompleteMultipartUploadResult", kMultipartXmlns);
  xml.Element("Location", Location(call));
  xml.Element("Bucket", call.route.bucket);
  xml.Element("Key", call.route.object);
  xml.Element("ETag", XmlEtag(object));
  xml.End("CompleteMultipartUploadResult");
  HttpResponse response = XmlResponse(std::move(xml));
  AddStateHeaders(response.headers, object);
  return response;
}

// The bytes that the header's range names; all of them if it names none.
XmlResult<BodyPtr> CopiedBytes(const XmlCall& call, const BodyPtr& source) {
  source->CheckBytes();
  const std::string header = HeaderValue(call, "x-goog-copy-source-range");
  if (header.empty()) return source;
  const RangeRequest range = ParseRange(header, source->size());
  if (range.kind == RangeRequest::Kind::kWhole) return XmlFail(XmlErrorCode::kInvalidArgument, header);
  if (range.kind == RangeRequest::Kind::kUnsatisfiable) return XmlFail(XmlErrorCode::kInvalidRange, header);
  return std::make_shared<const Body>(source->bytes().Slice(range.offset, range.length));
}

// UploadPartCopy of S3: a part whose bytes are those of an object, or a range of them.
XmlResult<HttpResponse> CopyPart(const Store& store, const XmlCall& call, MultipartUpload& upload, int number) {
  const XmlResult<ObjectPtr> source = FindCopySource(store, call);
  if (!source) return tl::unexpected(source.error());
  const XmlResult<BodyPtr> body = CopiedBytes(call, (*source)->body);
  if (!body) return tl::unexpected(body.error());
  if ((*body)->size() > kMaxPartSize) return XmlFail(XmlErrorCode::kEntityTooLarge);
  if (const auto put = upload.PutPart(number, *body); !put) return XmlFail(ToCode(put.error()));
  XmlWriter xml;
  xml.Begin("CopyPartResult", kMultipartXmlns);
  xml.Element("LastModified", FormatRfc3339(store.now()));
  xml.Element("ETag", Md5Etag(**body));
  xml.End("CopyPartResult");
  return XmlResponse(std::move(xml));
}

}  // namespace

XmlResult<XmlMultipart::Found> XmlMultipart::Find(const XmlCall& call) const {
  auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  Found found{.bucket = *std::move(bucket), .name = {call.route.object, call.query.Value("uploadId")}};
  found.upload = found.bucket->uploads().Find(found.name);
  if (found.upload == nullptr) return XmlFail(XmlErrorCode::kNoSuchUpload);
  return found;
}

XmlResult<HttpResponse> XmlMultipart::Initiate(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  if (auto named = CheckName(call); !named) return tl::unexpected(named.error());
  if (auto refused = RefusePreconditions(call, kMultipartUpload); !refused) return tl::unexpected(refused.error());
  XmlResult<ObjectAttributes> attributes = ReadAttributes(call);
  if (!attributes) return tl::unexpected(attributes.error());
  if (attributes->content_type.empty()) attributes->content_type = "application/octet-stream";
  if (attributes->storage_class.empty()) attributes->storage_class = (*bucket)->info()->storage_class;
  XmlResult<ObjectEncryption> encryption = ReadEncryption(call);
  if (!encryption) return tl::unexpected(encryption.error());
  if (auto access = SettleXmlAcl(call, *(*bucket)->info(), *attributes); !access) {
    return tl::unexpected(access.error());
  }
  const auto id = (*bucket)->uploads().Start(call.route.object, *std::move(attributes), *std::move(encryption));
  if (!id) return tl::unexpected(ToXmlError(id.error(), XmlErrorCode::kNoSuchBucket));
  XmlWriter xml;
  xml.Begin("InitiateMultipartUploadResult", kMultipartXmlns);
  xml.Element("Bucket", call.route.bucket);
  xml.Element("Key", call.route.object);
  xml.Element("UploadId", *id);
  xml.End("InitiateMultipartUploadResult");
  return XmlResponse(std::move(xml));
}

XmlResult<HttpResponse> XmlMultipart::PutPart(const XmlCall& call) const {
  const XmlResult<Found> found = Find(call);
  if (!found) return tl::unexpected(found.error());
  const XmlResult<int> number = ReadPartNumber(call);
  if (!number) return tl::unexpected(number.error());
  if (auto refused = RefusePreconditions(call, kMultipartUpload); !refused) return tl::unexpected(refused.error());
  if (auto checked = CheckPartKey(call, found->upload->encryption()); !checked) {
    return tl::unexpected(checked.error());
  }
  if (call.request.headers.Find("x-goog-copy-source") != nullptr) {
    return CopyPart(store_, call, *found->upload, *number);
  }
  if (call.body.announced_size().value_or(0) > kMaxPartSize) return XmlFail(XmlErrorCode::kEntityTooLarge);
  const XmlResult<BodyPtr> body = ReceiveCheckedBody(call);
  if (!body) return tl::unexpected(body.error());
  if ((*body)->size() > kMaxPartSize) return XmlFail(XmlErrorCode::kEntityTooLarge);
  if (const auto put = found->upload->PutPart(*number, *body); !put) return XmlFail(ToCode(put.error()));
  HttpResponse response;
  response.headers.Add("ETag", Md5Etag(**body));
  response.headers.Add("X-Goog-Hash", "crc32c=" + EncodeCrc32c((*body)->crc32c()));
  response.headers.Add("X-Goog-Hash", "md5=" + EncodeMd5((*body)->md5()));
  return response;
}

XmlResult<HttpResponse> XmlMultipart::ListParts(const XmlCall& call) const {
  const XmlResult<Found> found = Find(call);
  if (!found) return tl::unexpected(found.error());
  const XmlResult<std::size_t> max_parts = ReadLimit(call, "max-parts", 1, kMaxPage);
  const auto marker = Int64Parameter(call, "part-number-marker");
  if (!max_parts) return tl::unexpected(max_parts.error());
  if (!marker) return tl::unexpected(marker.error());
  const std::int64_t after = marker->value_or(0);
  if (after < 0) return XmlFail(XmlErrorCode::kInvalidArgument, "part-number-marker must not be negative.");
  const int clamped = static_cast<int>(std::min<std::int64_t>(after, kMaxPartNumber));
  return RenderPartPage(call, *found->upload, clamped, *max_parts);
}

XmlResult<HttpResponse> XmlMultipart::Complete(const XmlCall& call) const {
  const XmlResult<Found> found = Find(call);
  if (!found) return tl::unexpected(found.error());
  if (auto refused = RefusePreconditions(call, kMultipartUpload); !refused) return tl::unexpected(refused.error());
  const XmlResult<std::string> xml = ReceiveXml(call);
  if (!xml) return tl::unexpected(xml.error());
  const XmlResult<std::vector<PartReference>> parts = ParseCompleteUpload(*xml);
  if (!parts) return tl::unexpected(parts.error());
  auto body = found->upload->BeginComplete(*parts);
  if (!body) return XmlFail(ToCode(body.error()));
  const Outcome<ObjectPtr> stored =
      found->bucket->InsertObject({.name = found->name.object,
                                   .attributes = found->upload->attributes(),
                                   .body = *std::move(body),
                                   .component_count = static_cast<int>(parts->size()),
                                   .encryption = found->upload->encryption(),
                                   .may_replace = call.caller.MayReplace(call.route.bucket),
                                   .also = [&](const Object& /*object*/) { return found->upload->EndRecord(); }},
                                  {});
  found->upload->EndComplete(stored.has_value());
  if (!stored) return tl::unexpected(ToXmlError(stored.error(), XmlErrorCode::kNoSuchBucket));
  call.subject.committed_generation = (*stored)->generation;
  found->bucket->uploads().Remove(found->name);
  return CompleteResponse(call, **stored);
}

XmlResult<HttpResponse> XmlMultipart::Abort(const XmlCall& call) const {
  const XmlResult<Found> found = Find(call);
  if (!found) return tl::unexpected(found.error());
  if (auto refused = RefusePreconditions(call, kMultipartUpload); !refused) return tl::unexpected(refused.error());
  if (const auto aborted = found->upload->Abort(); !aborted) return XmlFail(ToCode(aborted.error()));
  found->bucket->uploads().Remove(found->name);
  return HttpResponse{.status = 204};
}

XmlResult<HttpResponse> XmlMultipart::ListUploads(const XmlCall& call) const {
  const auto bucket = FindXmlBucket(store_, call);
  if (!bucket) return tl::unexpected(bucket.error());
  const XmlResult<std::size_t> max_uploads = ReadLimit(call, "max-uploads", 1, kMaxPage);
  const XmlResult<ListingText> text = ListingText::Read(call);
  if (!max_uploads) return tl::unexpected(max_uploads.error());
  if (!text) return tl::unexpected(text.error());
  const UploadQuery query{.prefix = call.query.Value("prefix"),
                          .delimiter = call.query.Value("delimiter"),
                          .key_marker = call.query.Value("key-marker"),
                          .upload_id_marker = call.query.Value("upload-id-marker"),
                          .max_uploads = *max_uploads};
  return RenderUploadPage(call, query, (*bucket)->uploads().List(query), *text);
}

}  // namespace gcsflux::emulator
