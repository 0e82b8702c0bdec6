#include "gcsflux/client.h"

#include <utility>

#include "base/crc32c.h"
#include "base/object_name.h"
#include "base/version.h"
#include "client/client_core.h"
#include "client/endpoint.h"
#include "http/curl_transport.h"
#include "wire/metadata_json.h"
#include "wire/requests.h"

namespace gcsflux {
namespace {

using internal::Attempts;
using internal::Call;
using internal::CheckBucketName;
using internal::CheckObject;
using internal::HttpResponse;
using internal::OperationKind;

Result<void> CheckOptions(const ClientOptions& options) {
  const auto refuse = [](const char* why) { return Error{ErrorCode::kInvalidArgument, why}; };
  for (const RetryOptions* retry :
       {&options.retry.list, &options.retry.download, &options.retry.upload, &options.retry.metadata}) {
    if (retry->initial_delay.count() < 0 || retry->max_delay.count() < 0) return refuse("a retry delay is negative");
    if (!(retry->multiplier >= 1.0)) return refuse("RetryOptions::multiplier must be at least 1");
    if (retry->deadline.count() < 0) return refuse("RetryOptions::deadline is negative");
    if (retry->max_attempts < 1) return refuse("RetryOptions::max_attempts must be at least 1");
    if (!(retry->budget >= 0)) return refuse("RetryOptions::budget is negative");
  }
  if (options.connect_timeout.count() < 1) return refuse("ClientOptions::connect_timeout must be at least 1 ms");
  if (options.stall_timeout.count() < 1) return refuse("ClientOptions::stall_timeout must be at least 1 s");
  if (options.max_idle_connections < 0) return refuse("ClientOptions::max_idle_connections is negative");
  return {};
}

// An answer's body as a T, the failure to read it told like any other of the call.
template <class T>
Result<T> Read(const Call& call, const Result<HttpResponse>& response, Result<T> (*parse)(std::string_view)) {
  if (!response) return response.error();
  auto value = parse(response->body);
  if (value) return value;
  Error error = value.error();
  error.message = std::string(call.operation) + " " + call.subject + ": " + error.message;
  return error;
}

// A delete whose own earlier attempt may have gone through takes "it is gone" for its success.
Result<void> Delete(const ClientCore& core, const Call& call, const internal::HttpRequest& request) {
  const std::string id = core.NewInvocationId();
  const auto response = core.Retry(call, [&](Attempts& attempts) {
    auto answer = core.Send(request, id, attempts, call.stop);
    const int status = answer ? 0 : answer.error().http_status;
    if ((status == 404 || status == 412) && attempts.was_ambiguous()) return Result<HttpResponse>(HttpResponse{});
    return answer;
  });
  if (!response) return response.error();
  return {};
}

}  // namespace

Result<Client> Client::Create(ClientOptions options) {
  if (auto checked = CheckOptions(options); !checked) return checked.error();
  auto endpoint = internal::ResolveEndpoint(options, internal::ProcessEnv);
  if (!endpoint) return endpoint.error();
  auto authorization =
      internal::ResolveAuthorization(options, *endpoint, internal::ProcessEnv, internal::ReadLocalFile);
  if (!authorization) return authorization.error();
  if (options.project.empty()) options.project = internal::ProcessEnv("GOOGLE_CLOUD_PROJECT").value_or("");
  auto transport =
      internal::MakeCurlTransport({.connect_timeout = options.connect_timeout,
                                   .stall_timeout = options.stall_timeout,
                                   .max_idle_connections = static_cast<std::size_t>(options.max_idle_connections),
                                   .user_agent = std::string("gcsflux/") + internal::kVersion});
  ClientCore::Settings settings{.endpoint = *endpoint,
                                .project = options.project,
                                .authorization = *std::move(authorization),
                                .retry = options.retry,
                                .throttle_policy = options.throttle_policy,
                                .event_listener = options.event_listener};
  return Client(
      std::make_shared<const ClientCore>(std::move(settings), std::move(transport), internal::SystemTiming()));
}

Counters Client::counters() const { return core_->observer().counters(); }

std::vector<GateStatus> Client::flow_control() const { return core_->flow_control(); }

Result<BucketMetadata> Client::InsertBucket(const std::string& bucket, const InsertBucketOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked.error();
  const Call call{.operation = "buckets.insert",
                  .subject = ToUri({bucket}),
                  .kind = OperationKind::kWriteMetadata,
                  .bucket = bucket,
                  .is_idempotent = true,
                  .stop = options.stop};
  const auto request = internal::InsertBucketRequest(core_->endpoint(), core_->settings().project, bucket, options);
  const std::string id = core_->NewInvocationId();
  const auto response = core_->Retry(call, [&](Attempts& attempts) {
    auto answer = core_->Send(request, id, attempts, options.stop);
    // The bucket that stands in the way is then most likely the one that an earlier attempt made.
    if (!answer && answer.error().http_status == 409 && attempts.was_ambiguous()) {
      return core_->Send(internal::GetBucketRequest(core_->endpoint(), bucket), id, attempts, options.stop);
    }
    return answer;
  });
  return Read(call, response, internal::ParseBucket);
}

Result<BucketMetadata> Client::GetBucket(const std::string& bucket, const GetBucketOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked.error();
  const Call call{.operation = "buckets.get",
                  .subject = ToUri({bucket}),
                  .kind = OperationKind::kReadMetadata,
                  .bucket = bucket,
                  .is_idempotent = true,
                  .stop = options.stop};
  return Read(call, core_->Exchange(call, internal::GetBucketRequest(core_->endpoint(), bucket)),
              internal::ParseBucket);
}

Result<std::vector<BucketMetadata>> Client::ListBuckets(const ListBucketsOptions& options) const {
  const std::string& project = core_->settings().project;
  const Call call{.operation = "buckets.list",
                  .subject = "of project '" + project + "'",
                  .kind = OperationKind::kList,
                  .is_idempotent = true,
                  .stop = options.stop};
  std::vector<BucketMetadata> buckets;
  std::string page_token;
  do {
    const auto request = internal::ListBucketsRequest(core_->endpoint(), project, options, page_token);
    auto page = Read(call, core_->Exchange(call, request), internal::ParseBucketPage);
    if (!page) return page.error();
    std::move(page->buckets.begin(), page->buckets.end(), std::back_inserter(buckets));
    page_token = std::move(page->next_page_token);
  } while (!page_token.empty());
  return buckets;
}

Result<void> Client::DeleteBucket(const std::string& bucket, const DeleteBucketOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked;
  const Call call{.operation = "buckets.delete",
                  .subject = ToUri({bucket}),
                  .kind = OperationKind::kWriteMetadata,
                  .bucket = bucket,
                  .is_idempotent = true,
                  .stop = options.stop};
  return Delete(*core_, call, internal::DeleteBucketRequest(core_->endpoint(), bucket));
}

Result<ObjectMetadata> Client::InsertObject(const ObjectName& object, std::span<const std::byte> data,
                                            const InsertObjectOptions& options) const {
  if (auto checked = CheckObject(object); !checked) return checked.error();
  const std::uint32_t crc32c = internal::ExtendCrc32c(0, data);
  const auto request = internal::InsertObjectRequest(core_->endpoint(), object, data, crc32c, options);
  const Call call{.operation = "objects.insert",
                  .subject = ToUri(object),
                  .kind = OperationKind::kUpload,
                  .bucket = object.bucket,
                  .is_idempotent = request.is_idempotent,
                  .stop = options.stop};
  auto stored = Read(call, core_->Exchange(call, request), internal::ParseObject);
  if (stored && stored->crc32c && *stored->crc32c != crc32c) {
    return Error{ErrorCode::kCorrupted,
                 "objects.insert " + ToUri(object) + ": the service stored other bytes (crc32c)"};
  }
  return stored;
}

Result<ObjectMetadata> Client::GetObject(const ObjectName& object, const GetObjectOptions& options) const {
  if (auto checked = CheckObject(object); !checked) return checked.error();
  const Call call{.operation = "objects.get",
                  .subject = ToUri(object),
                  .kind = OperationKind::kReadMetadata,
                  .bucket = object.bucket,
                  .is_idempotent = true,
                  .stop = options.stop};
  const auto request = internal::GetObjectRequest(core_->endpoint(), object, options);
  return Read(call, core_->Exchange(call, request), internal::ParseObject);
}

Result<ObjectPage> Client::ListObjects(const std::string& bucket, const ListObjectsOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked.error();
  if (options.max_results < 1)
    return Error{ErrorCode::kInvalidArgument, "ListObjectsOptions::max_results must be at least 1"};
  const Call call{.operation = "objects.list",
                  .subject = ToUri({bucket, options.prefix}),
                  .kind = OperationKind::kList,
                  .bucket = bucket,
                  .is_idempotent = true,
                  .stop = options.stop};
  const auto request = internal::ListObjectsRequest(core_->endpoint(), bucket, options);
  return Read(call, core_->Exchange(call, request), internal::ParseObjectPage);
}

Result<ObjectMetadata> Client::ComposeObjects(const std::vector<ComposeSource>& sources, const ObjectName& destination,
                                              const ComposeObjectsOptions& options) const {
  constexpr std::size_t kMaxSources = 32;  // https://cloud.google.com/storage/docs/composite-objects
  if (auto checked = CheckObject(destination); !checked) return checked.error();
  if (sources.empty() || sources.size() > kMaxSources) {
    return Error{ErrorCode::kInvalidArgument, "objects.compose " + ToUri(destination) +
                                                  ": takes 1 to 32 sources, not " + std::to_string(sources.size())};
  }
  const auto request = internal::ComposeObjectsRequest(core_->endpoint(), sources, destination, options);
  const Call call{.operation = "objects.compose",
                  .subject = ToUri(destination),
                  .kind = OperationKind::kWriteMetadata,
                  .bucket = destination.bucket,
                  .is_idempotent = request.is_idempotent,
                  .stop = options.stop};
  return Read(call, core_->Exchange(call, request), internal::ParseObject);
}

Result<void> Client::DeleteObject(const ObjectName& object, const DeleteObjectOptions& options) const {
  if (auto checked = CheckObject(object); !checked) return checked;
  const auto request = internal::DeleteObjectRequest(core_->endpoint(), object, options);
  const Call call{.operation = "objects.delete",
                  .subject = ToUri(object),
                  .kind = OperationKind::kWriteMetadata,
                  .bucket = object.bucket,
                  .is_idempotent = request.is_idempotent,
                  .stop = options.stop};
  return Delete(*core_, call, request);
}

}  // namespace gcsflux
