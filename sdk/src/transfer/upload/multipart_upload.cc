#include "transfer/upload/multipart_upload.h"

#include <map>
#include <utility>

#include "base/crc32c.h"
#include "base/exceptions_as_errors.h"
#include "base/moved_from.h"
#include "base/object_name.h"
#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "base/process/run_with_time_limit.h"
#include "client/client_core.h"
#include "client/operation_calls.h"
#include "transfer/upload/read_back.h"
#include "wire/metadata_json.h"
#include "wire/multipart_answers.h"
#include "wire/multipart_requests.h"
#include "wire/object_requests.h"
#include "wire/read_response.h"

namespace gcsflux {

using internal::Attempts;
using internal::Call;
using internal::HttpResponse;
using internal::MakeUploadCall;
using internal::MultipartTarget;
using internal::SentObject;

namespace {

bool IsGone(const Error& error) { return error.http_status == 404 && error.reason == "NoSuchUpload"; }

Error AsLost(Error error) {
  if (IsGone(error)) error.code = ErrorCode::kSessionLost;
  return error;
}

}  // namespace

// All requests are retried freely: an upload alone is invisible, a part replaces itself, and the outcome of a second
// complete or abort shows whether the first one succeeded.
class MultipartUpload::Upload {
 public:
  Upload(Client client, ObjectName object, MultipartOptions options)
      : client_(std::move(client)), object_(std::move(object)), options_(std::move(options)) {}

  ~Upload() {
    // In a child, the upload is the parent's.
    if (is_open_ && owner_.IsCurrent())
      internal::RunWithTimeLimit([this](std::stop_token stop) { static_cast<void>(Abort(std::move(stop))); });
  }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  Result<void> Start() {
    const Call call = MakeUploadCall("multipartUploads.create", object_, options_);
    if (auto checked = internal::CheckObject(object_); !checked) return internal::InCall(call, checked.error());
    if (auto checked = internal::CheckOptions(core(), options_); !checked)
      return internal::InCall(call, checked.error());
    const auto request = internal::InitiateMultipartRequest(target());
    if (!request) return internal::InCall(call, request.error());
    const auto response = core().Exchange(call, *request);
    if (!response) return response.error();
    auto id = internal::ParseUploadId(response->body, object_);
    if (!id) return internal::InCall(call, id.error());
    upload_id_ = *std::move(id);
    is_open_ = true;
    return {};
  }

  Result<void> Resume(std::string upload_id) {
    const Call call = MakeUploadCall("multipartUploads.listParts", object_, options_);
    if (auto checked = internal::CheckObject(object_); !checked) return internal::InCall(call, checked.error());
    if (auto checked = internal::CheckOptions(core(), options_); !checked)
      return internal::InCall(call, checked.error());
    if (upload_id.empty())
      return internal::InCall(call, {ErrorCode::kInvalidArgument, "the identifier of the upload is empty"});
    upload_id_ = std::move(upload_id);
    is_open_ = true;
    return {};
  }

  [[nodiscard]] const std::string& upload_id() const { return upload_id_; }
  void Suspend() { is_open_ = false; }

  Result<void> KeepPart(const ListedPart& part, std::uint32_t crc32c) {
    const Call call = MakeUploadCall("multipartUploads.listParts", object_, options_);
    if (auto usable = CheckUsable(call); !usable) return usable;
    const internal::MutexLock lock(mutex_);
    parts_[part.number] = {{part.size, crc32c}, part.etag};
    return {};
  }

  Result<void> UploadPart(int number, std::span<const std::byte> data, std::stop_token stop) {
    constexpr int kMostParts = 10'000;
    Call call = MakeUploadCall("multipartUploads.uploadPart", object_, options_);
    call.subject += " part " + std::to_string(number);
    if (stop.stop_possible()) call.stop = std::move(stop);
    if (number < 1 || number > kMostParts) {
      return internal::InCall(call, {ErrorCode::kInvalidArgument, "parts have numbers from 1 to 10000"});
    }
    if (auto checked = internal::CheckBytes(object_, data); !checked) return checked;
    if (auto usable = CheckUsable(call); !usable) return usable;
    const SentObject part{data.size(), internal::ExtendCrc32c(0, data)};
    const auto request = internal::PutPartRequest(target(), number, data, part.crc32c);
    const std::string id = core().NewInvocationId();
    const auto response = core().Retry(call, [&](Attempts& attempts) -> Result<HttpResponse> {
      auto answer = core().Send({request, id, attempts});
      return answer ? answer : AsLost(answer.error());
    });
    if (!response) return response.error();
    return Note(call, number, part, *response);
  }

  Result<std::vector<ListedPart>> ListParts() {
    const Call call = MakeUploadCall("multipartUploads.listParts", object_, options_);
    if (auto usable = CheckUsable(call); !usable) return usable.error();
    std::vector<ListedPart> parts;
    for (std::optional<int> after = 0; after;) {
      const auto response = core().Exchange(call, internal::ListPartsRequest(target(), *after));
      if (!response) return AsLost(response.error());
      auto page = internal::ParsePartsPage(response->body, object_);
      if (!page) return internal::InCall(call, page.error());
      if (page->next && *page->next <= *after) {  // it would repeat without end
        return internal::InCall(call, {ErrorCode::kBadResponse, "the service's next page of parts is one before it"});
      }
      parts.insert(parts.end(), page->parts.begin(), page->parts.end());
      after = page->next;
    }
    return parts;
  }

  Result<ObjectMetadata> Complete() {
    const Call call = MakeUploadCall("multipartUploads.complete", object_, options_);
    if (auto usable = CheckUsable(call); !usable) return usable.error();
    const SentObject sent = Whole();
    const std::string id = core().NewInvocationId();
    auto stored = core().Retry(call, [&](Attempts& attempts) { return CompleteOnce(sent, id, attempts); });
    if (!stored) {
      Error error = stored.error();
      if (completed_ != 0) error.outcome = WriteOutcome::kStored;
      return error;
    }
    is_open_ = false;
    if (internal::HasBytes(*stored, sent)) return stored;
    if (completed_ == 0) {
      return internal::InCall(
          call,
          {.code = ErrorCode::kCorrupted,
           .message = "the service does not say which generation it made of the parts, and generation " +
                      std::to_string(stored->generation) + ", which is live, holds other bytes; it was left as it is",
           .outcome = WriteOutcome::kUnknown});
    }
    auto checked = internal::CheckStored(core(), *stored, sent, options_.call, options_.stop);
    if (!checked) return internal::InCall(call, checked.error());
    return checked;
  }

  Result<void> Abort(std::stop_token stop) {
    Call call = MakeUploadCall("multipartUploads.abort", object_, options_);
    if (!owner_.IsCurrent()) return internal::InCall(call, owner_.Refuse("the upload"));
    if (!std::exchange(is_open_, false)) return {};
    call.stop = std::move(stop);  // Not the caller's token: a caller that has stopped wants nothing left behind.
    const auto response = core().Exchange(call, internal::AbortMultipartRequest(target()));
    if (!response && IsGone(response.error())) return {};
    return internal::ParseAnswer(call, response, internal::ParseNothing);
  }

 private:
  struct Part {
    SentObject sent = {};
    std::string etag = {};
  };

  [[nodiscard]] const ClientCore& core() const { return CoreOf(client_); }
  [[nodiscard]] MultipartTarget target() const { return {core().endpoint(), object_, upload_id_, options_}; }
  [[nodiscard]] Result<void> CheckUsable(const Call& call) const {
    if (!owner_.IsCurrent()) return internal::InCall(call, owner_.Refuse("the upload"));
    if (is_open_) return {};
    return Error{ErrorCode::kInvalidArgument, "used after Complete(), Abort() or Suspend(): " + ToUri(object_)};
  }

  Result<void> Note(const Call& call, int number, const SentObject& part, const HttpResponse& response) {
    const auto crc32c = internal::FindCrc32c(response.headers);
    if (!crc32c) return internal::InCall(call, crc32c.error());
    if (*crc32c && **crc32c != part.crc32c) {
      return internal::InCall(call, {ErrorCode::kCorrupted, "the service stored other bytes (crc32c)"});
    }
    std::string etag(internal::FindHeader(response.headers, "etag"));
    if (etag.empty()) return internal::InCall(call, {ErrorCode::kBadResponse, "the part has no ETag"});
    const internal::MutexLock lock(mutex_);
    parts_[number] = {part, std::move(etag)};
    return {};
  }

  // The object that the parts give together.
  SentObject Whole() {
    const internal::MutexLock lock(mutex_);
    SentObject whole;
    for (const auto& [number, part] : parts_) {
      whole.crc32c = internal::CombineCrc32c(whole.crc32c, part.sent.crc32c, part.sent.size);
      whole.size += part.sent.size;
    }
    return whole;
  }

  Result<ObjectMetadata> CompleteOnce(const SentObject& sent, const std::string& id, Attempts& attempts) {
    std::int64_t generation = std::exchange(completed_, 0);
    if (generation == 0) {
      if (!first_complete_) first_complete_ = attempts.now();
      const auto made = SendComplete(id, attempts);
      // Gone after an attempt with a lost answer: that attempt has completed it.
      const bool is_found = !made && IsGone(made.error()) && attempts.was_ambiguous();
      if (!made && !is_found) return AsLost(made.error());
      if (is_found) return FindOurs(sent, made.error(), id, attempts);
      generation = *made;
    }
    completed_ = generation;
    ObjectOptions options{.encryption_key = options_.encryption_key, .call = options_.call};
    if (generation != 0) options.generation = generation;
    const auto response = core().Send({internal::GetObjectRequest(core().endpoint(), object_, options), id, attempts});
    const bool is_replaced = !response && response.error().http_status == 404 && generation != 0;
    if (is_replaced) {
      return Error{ErrorCode::kOutcomeUnknown, "generation " + std::to_string(generation) +
                                                   " was made of the parts, and is gone before it could be checked"};
    }
    if (!response) return response.error();
    return internal::ParseObject(response->body, {object_, options.generation});
  }

  Result<std::int64_t> SendComplete(const std::string& id, Attempts& attempts) {
    std::vector<internal::PartTag> tags;
    {
      const internal::MutexLock lock(mutex_);
      for (const auto& [number, part] : parts_) tags.push_back({number, part.etag});
    }
    const auto response = core().Send({internal::CompleteMultipartRequest(target(), tags), id, attempts});
    if (!response) return response.error();
    return internal::ParseCompleted(*response, object_);
  }

  // The object that an earlier attempt has made, if the upload is gone after it.
  Result<ObjectMetadata> FindOurs(const SentObject& sent, const Error& gone, const std::string& id,
                                  Attempts& attempts) {
    const InsertObjectOptions insert{.encryption_key = options_.encryption_key, .call = options_.call};
    auto look = internal::ReadBack(core(),
                                   {.object = object_,
                                    .insert = insert,
                                    .sent = sent,
                                    .first_attempt = *first_complete_,
                                    .checks_attributes = false},
                                   id, attempts);
    if (!look) return look.error();
    if (look->step.kind == internal::WriteStep::Kind::kUnknown) return internal::OutcomeUnknown(*look);
    if (look->step.kind == internal::WriteStep::Kind::kStored) return *std::move(look->live);
    return AsLost(gone);
  }

  const Client client_;
  const ObjectName object_;
  const MultipartOptions options_;
  const internal::OwnerProcess owner_;
  std::string upload_id_;
  bool is_open_ = false;
  std::optional<internal::Timing::TimePoint> first_complete_;  // Nothing can have been made before it.
  std::int64_t completed_ = 0;  // The generation that Complete() has made, not yet confirmed.
  internal::Mutex mutex_;
  std::map<int, Part> parts_ GUARDED_BY(mutex_);
};

MultipartUpload::MultipartUpload(std::unique_ptr<Upload> upload) : upload_(std::move(upload)) {}
MultipartUpload::MultipartUpload(MultipartUpload&&) noexcept = default;
MultipartUpload& MultipartUpload::operator=(MultipartUpload&&) noexcept = default;
MultipartUpload::~MultipartUpload() = default;

Result<MultipartUpload> MultipartUpload::Start(Client client, ObjectName object, MultipartOptions options) {
  return internal::ExceptionsAsErrors([&]() -> Result<MultipartUpload> {
    auto upload = std::make_unique<Upload>(std::move(client), std::move(object), std::move(options));
    if (auto started = upload->Start(); !started) return started.error();
    return MultipartUpload(std::move(upload));
  });
}

Result<MultipartUpload> MultipartUpload::Resume(Client client, ObjectName object, std::string upload_id,
                                                MultipartOptions options) {
  auto upload = std::make_unique<Upload>(std::move(client), std::move(object), std::move(options));
  if (auto resumed = upload->Resume(std::move(upload_id)); !resumed) return resumed.error();
  return MultipartUpload(std::move(upload));
}

Result<void> MultipartUpload::UploadPart(int number, std::span<const std::byte> data, std::stop_token stop) const {
  if (!upload_) return internal::MovedFrom("MultipartUpload");
  return internal::ExceptionsAsErrors([&] { return upload_->UploadPart(number, data, std::move(stop)); });
}
Result<void> MultipartUpload::KeepPart(const ListedPart& part, std::uint32_t crc32c) const {
  if (!upload_) return internal::MovedFrom("MultipartUpload");
  return internal::ExceptionsAsErrors([&] { return upload_->KeepPart(part, crc32c); });
}
Result<std::vector<ListedPart>> MultipartUpload::ListParts() const {
  if (!upload_) return internal::MovedFrom("MultipartUpload");
  return internal::ExceptionsAsErrors([&] { return upload_->ListParts(); });
}
const std::string& MultipartUpload::upload_id() const {
  static const auto* const none = new std::string();  // Never destroyed: a process that ends may still use it.
  return upload_ ? upload_->upload_id() : *none;
}
void MultipartUpload::Suspend() {
  if (upload_) upload_->Suspend();
}
Result<ObjectMetadata> MultipartUpload::Complete() {
  if (!upload_) return internal::MovedFrom("MultipartUpload");
  return internal::ExceptionsAsErrors([&] { return upload_->Complete(); }, WriteOutcome::kUnknown);
}
Result<void> MultipartUpload::Abort() {
  if (!upload_) return internal::MovedFrom("MultipartUpload");
  return internal::ExceptionsAsErrors([&] { return upload_->Abort({}); });
}

}  // namespace gcsflux
