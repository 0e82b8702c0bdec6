#include "uploads/resumable_endpoints.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/encryption_headers.h"
#include "bodies/receive_body.h"
#include "http/content_range.h"
#include "store/objects/customer_key.h"
#include "uploads/commit_upload.h"

namespace gcsflux::emulator {
namespace {

using State = ResumableSession::State;
using Status = ResumableSession::Status;

// https://cloud.google.com/storage/docs/performing-resumable-uploads: all chunks but the last are multiples of it.
constexpr std::uint64_t kChunkUnit = std::uint64_t{256} << 10;

// The key was shown when the session was started. gcloud does not show it again, and compares the hashes of the answer.
constexpr bool kHasKey = true;

// Status 308 with what is persisted, or the 200 that some clients' proxies need instead.
HttpResponse Incomplete(const ApiCall& call, const Status& status) {
  HttpResponse response{.status = 308};
  const std::string* no_308 = call.request.headers.Find("x-guploader-no-308");
  if (no_308 != nullptr && *no_308 == "yes") {
    response.status = 200;
    response.headers.Add("X-Http-Status-Code-Override", "308");
  }
  if (status.persisted != 0) response.headers.Add("Range", "bytes=0-" + std::to_string(status.persisted - 1));
  return response;
}

ApiResult<HttpResponse> Progress(const ApiCall& call, const Status& status) {
  switch (status.state) {
    case State::kComplete: return JsonResponse(status.answer);
    case State::kCancelled: return tl::unexpected(ApiError{404, "notFound", "Upload session was cancelled."});
    case State::kOpen:
    case State::kFinishing: break;
  }
  return Incomplete(call, status);
}

ApiError BucketWasDeleted() { return {404, "notFound", "The bucket of the upload session was deleted."}; }

ApiError DiffersFromAnnounced() {
  return BadRequest("The total size differs from the X-Upload-Content-Length of the session.");
}

// Stores the object if the session holds all of its `size` bytes; else answers with the progress.
ApiResult<HttpResponse> Finish(const ApiCall& call, ResumableSession& session, std::uint64_t size) {
  std::shared_ptr<Bucket> bucket = session.bucket();
  if (bucket == nullptr) return tl::unexpected(BucketWasDeleted());
  BodyPtr body = session.BeginFinish(size);
  if (body == nullptr) {
    const Status status = session.status();
    if (status.state != State::kFinishing) return Progress(call, status);
    return tl::unexpected(ApiError{503, "backendError", "The upload is being completed by another request."});
  }
  if (session.announced_size().value_or(size) != size) {
    session.EndFinish(std::nullopt);
    return tl::unexpected(DiffersFromAnnounced());
  }
  PendingObject pending = session.pending();
  pending.bucket = std::move(bucket);
  pending.also = [&](const Object& object) {
    return session.EndRecord(std::get<std::string>(ObjectResponse(call, object, kHasKey).body));
  };
  const ApiResult<ObjectPtr> stored = CommitUpload(call, std::move(pending), std::move(body));
  if (!stored) {
    session.EndFinish(std::nullopt);
    return tl::unexpected(stored.error());
  }
  HttpResponse response = ObjectResponse(call, **stored, kHasKey);
  session.EndFinish(std::get<std::string>(response.body));
  return response;
}

// One PUT of bytes: [first, first + length) of the upload. If there is a total, it is the upload's size.
struct Chunk {
  std::uint64_t first = 0;
  std::optional<std::uint64_t> length = {};
  std::optional<std::uint64_t> total = {};
  bool is_last = false;
};

ApiResult<Chunk> ReadChunk(const ApiCall& call, const std::optional<ContentRange>& range) {
  const std::optional<std::uint64_t> announced = call.body.announced_size();
  if (!range) return Chunk{.length = announced, .total = announced, .is_last = true};
  if (range->total.value_or(0) > kMaxObjectSize) return tl::unexpected(UploadTooLarge());
  const auto& [first, last] = *range->bytes;
  if (!last) return Chunk{first, range->total ? *range->total - first : announced, range->total, true};
  const std::uint64_t length = *last - first + 1;
  if (announced && *announced != length) {
    return tl::unexpected(BadRequest("Invalid request. There were " + std::to_string(*announced) +
                                     " byte(s) in the request body. There should have been " + std::to_string(length) +
                                     " byte(s) according to the Content-Range header."));
  }
  const bool is_last = range->total && *last + 1 == *range->total;
  if (!is_last && length < kChunkUnit) {
    return tl::unexpected(BadRequest(
        "Invalid request. The number of bytes uploaded is required to be equal or greater than 262144, except for the "
        "final request (it's recommended to be the exact multiple of 262144). The received request contained " +
        std::to_string(length) + " bytes, which does not meet this requirement."));
  }
  return Chunk{first, length, range->total, is_last};
}

// Whether a chunk has more bytes than announced for the whole upload, or is the last one and ends with fewer.
bool IsBeyond(const Chunk& chunk, std::uint64_t announced) {
  if (chunk.total && *chunk.total != announced) return true;
  return chunk.first > announced || (chunk.length && *chunk.length > announced - chunk.first);
}

// Reads bytes that are persisted already, and ignores them. Returns false if the body ends before.
bool Skip(RequestBody& body, std::uint64_t bytes) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 65536)));
  while (bytes != 0) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, buffer.size()));
    const std::optional<std::size_t> read = body.Read(std::span(buffer).first(wanted));
    if (!read || *read == 0) return false;
    bytes -= *read;
  }
  return true;
}

struct ReceivedChunk {
  UploadedBytes uploaded = {};
  bool is_whole = false;
};

// The bytes that follow in a session that has `offset` bytes.
ReceivedChunk Receive(const ApiCall& call, const ResumableSession& session, std::uint64_t offset) {
  std::optional<Md5Stream> md5;
  if (NeedsMd5(call, session.pending())) md5 = session.Md5Until(offset);
  ReceivedBody body = ReceiveBody(call.body, md5 ? &*md5 : nullptr);
  return {{std::move(body.bytes), body.crc32c, std::move(md5)}, body.is_whole};
}

// No more than `size` bytes of it.
UploadedBytes FirstOf(UploadedBytes uploaded, std::uint64_t size) {
  if (size >= uploaded.bytes.size()) return uploaded;
  Rope bytes = uploaded.bytes.Slice(0, size);
  const std::uint32_t crc32c = Body(bytes).crc32c();
  return {std::move(bytes), crc32c};
}

ApiResult<HttpResponse> PutChunk(const ApiCall& call, ResumableSession& session, Chunk chunk) {
  const Status before = session.status();
  if (before.state != State::kOpen) return Finish(call, session, before.persisted);
  if (chunk.first > before.persisted) {
    return tl::unexpected(BadRequest("Invalid request. According to the Content-Range header, the upload offset is " +
                                     std::to_string(chunk.first) + " byte(s), which exceeds already uploaded size of " +
                                     std::to_string(before.persisted) + " byte(s)."));
  }
  const std::uint64_t resent = before.persisted - chunk.first;
  if (!Skip(call.body, chunk.length ? std::min(resent, *chunk.length) : resent)) {
    return tl::unexpected(BrokenOff(call.body));
  }
  auto [uploaded, is_whole] = Receive(call, session, before.persisted);
  const std::uint64_t end = before.persisted + uploaded.bytes.size();
  const bool is_exact = is_whole && (!chunk.length || end == std::max(chunk.first + *chunk.length, before.persisted));
  if (is_whole && !is_exact) {
    return tl::unexpected(BadRequest("The request's body is not as long as its Content-Range header says."));
  }
  if (const auto limit = call.body.keeps_at_most()) {
    uploaded = FirstOf(std::move(uploaded), *limit > resent ? *limit - resent : 0);
    chunk.is_last = false;
  } else if (!is_whole || !chunk.is_last) {
    // If it is not the end, whole units are kept, as the service does.
    const std::uint64_t kept = std::max(end / kChunkUnit * kChunkUnit, before.persisted);
    uploaded = FirstOf(std::move(uploaded), kept - before.persisted);
  }
  const Outcome<Status> after = session.Append(before.persisted, std::move(uploaded));
  if (!after) return tl::unexpected(ToApiError(after.error()));
  if (!is_whole) return tl::unexpected(BrokenOff(call.body));
  if (!chunk.is_last) return Progress(call, *after);
  return Finish(call, session, chunk.total.value_or(end));
}

// Each request of a session may show the key of its start, and no other key.
ApiResult<void> CheckSessionKey(const HttpHeaders& headers, const ResumableSession& session) {
  const ApiResult<std::string> shown = ReadCustomerKey(headers);
  if (!shown) return tl::unexpected(shown.error());
  if (shown->empty()) return {};
  const Outcome<void> checked = CheckCustomerKey(session.pending().encryption.customer_key_sha256, *shown);
  return checked ? ApiResult<void>() : tl::unexpected(ToApiError(checked.error()));
}

std::optional<std::uint64_t> ReadAnnouncedSize(const HttpHeaders& headers) {
  const std::string* text = headers.Find("x-upload-content-length");
  const std::optional<ContentRange> parsed = ParseContentRange("bytes */" + (text != nullptr ? *text : "*"));
  return parsed ? parsed->total : std::nullopt;
}

}  // namespace

ApiResult<HttpResponse> ResumableEndpoints::Start(const ApiCall& call, PendingObject pending) const {
  call.subject.phase = "start";
  call.subject.object = pending.name;
  const std::optional<std::uint64_t> announced = ReadAnnouncedSize(call.request.headers);
  if (announced.value_or(0) > kMaxObjectSize) return tl::unexpected(UploadTooLarge());
  const Outcome<std::string> id = sessions_.Start(std::move(pending), announced);
  if (!id) return tl::unexpected(ToApiError(id.error()));
  // The parameters of this request, such as `fields`, are added to the session's.
  const std::string& target = call.request.target;
  const std::string path_and_query = target.substr(std::min(target.find("/upload/"), target.size()));
  HttpResponse response;
  response.headers.Add("Location", call.base_url + path_and_query + "&upload_id=" + *id);
  response.headers.Add("X-GUploader-UploadID", *id);
  return response;
}

ApiResult<std::shared_ptr<ResumableSession>> ResumableEndpoints::Find(const ApiCall& call) const {
  const std::string* id = call.query.Find("upload_id");
  if (id == nullptr) return tl::unexpected(MissingParameter("upload_id"));
  std::shared_ptr<ResumableSession> session = sessions_.Find(*id);
  if (session == nullptr) return tl::unexpected(ApiError{404, "notFound", "No such upload session."});
  const std::shared_ptr<Bucket> bucket = session->bucket();
  if (bucket == nullptr) return tl::unexpected(BucketWasDeleted());
  if (bucket->info()->name != call.route.bucket) {
    return tl::unexpected(ApiError{404, "notFound", "No such upload session in the bucket " + call.route.bucket + "."});
  }
  call.subject.object = session->pending().name;
  return session;
}

ApiResult<HttpResponse> ResumableEndpoints::Put(const ApiCall& call) const {
  const auto session = Find(call);
  if (!session) return tl::unexpected(session.error());
  ApiResult<HttpResponse> response = PutInto(call, **session);
  if ((*session)->is_complete()) sessions_.Complete(*call.query.Find("upload_id"));
  return response;
}

ApiResult<HttpResponse> ResumableEndpoints::PutInto(const ApiCall& call, ResumableSession& session) {
  if (auto checked = CheckSessionKey(call.request.headers, session); !checked) {
    return tl::unexpected(checked.error());
  }
  std::optional<ContentRange> range;
  if (const std::string* header = call.request.headers.Find("content-range")) {
    range = ParseContentRange(*header);
    if (!range) return tl::unexpected(BadRequest("Failed to parse Content-Range header."));
  }
  const std::optional<std::uint64_t> total = range ? range->total : std::nullopt;
  const std::optional<std::uint64_t> announced = session.announced_size();
  if (total && announced && *total != *announced) return tl::unexpected(DiffersFromAnnounced());
  if (range && !range->bytes) {
    call.subject.phase = "status";
    if (call.body.announced_size() != 0) return tl::unexpected(BadRequest("A question for the state has no body."));
    return total ? Finish(call, session, *total) : Progress(call, session.status());
  }
  const ApiResult<Chunk> chunk = ReadChunk(call, range);
  if (!chunk) return tl::unexpected(chunk.error());
  if (announced && IsBeyond(*chunk, *announced)) return tl::unexpected(DiffersFromAnnounced());
  call.subject.phase = chunk->is_last ? "final" : "chunk";
  call.subject.offset = chunk->first;
  return PutChunk(call, session, *chunk);
}

ApiResult<HttpResponse> ResumableEndpoints::Cancel(const ApiCall& call) const {
  call.subject.phase = "cancel";
  const auto session = Find(call);
  if (!session) return tl::unexpected(session.error());
  if (!(*session)->Cancel()) return tl::unexpected(BadRequest("The upload is complete."));
  sessions_.Remove(*call.query.Find("upload_id"));
  return HttpResponse{.status = 499};
}

}  // namespace gcsflux::emulator
