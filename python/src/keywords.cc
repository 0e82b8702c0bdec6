#include "keywords.h"

#include <vector>

#include "errors.h"
#include "gcsflux/events.h"

namespace gcsflux::python {
namespace {

namespace nb = nanobind;

constexpr std::pair<const char*, IdempotencyPolicy> kIdempotencyPolicies[] = {
    {"strict", IdempotencyPolicy::kStrict},
    {"always", IdempotencyPolicy::kAlwaysRetry},
    {"token", IdempotencyPolicy::kToken}};
constexpr std::pair<const char*, CompositionMode> kCompositionModes[] = {
    {"off", CompositionMode::kOff}, {"auto", CompositionMode::kAuto}, {"on", CompositionMode::kOn}};
constexpr std::pair<const char*, WritePath> kWritePaths[] = {
    {"auto", WritePath::kAuto}, {"parallel", WritePath::kParallel}, {"one_stream", WritePath::kOneStream}};
constexpr std::pair<const char*, WriteMode> kWriteModes[] = {
    {"create", WriteMode::kCreate}, {"replace", WriteMode::kReplace}, {"overwrite", WriteMode::kOverwrite}};

void TakeCredentials(Keywords& keywords, ClientOptions& options) {
  std::string name;
  std::string token;
  keywords.Take("credentials", name);
  keywords.Take("access_token", token);
  if (!name.empty() && !token.empty()) {
    Raise({ErrorCode::kInvalidArgument, "credentials and access_token exclude each other"});
  }
  if (!token.empty()) {
    options.credentials = Credentials::AccessToken(token);
  } else if (name == "adc") {
    options.credentials = Credentials::ApplicationDefault();
  } else if (name == "anonymous") {
    options.credentials = Credentials::Anonymous();
  } else if (!name.empty()) {
    options.credentials = ValueOf(Credentials::FromFile(name));
  }
}

void TakeRetry(Keywords& keywords, const std::string& kind, RetryOptions& options) {
  const std::string prefix = kind + "_retry_";
  keywords.Take(prefix + "initial_delay_s", options.initial_delay);
  keywords.Take(prefix + "multiplier", options.multiplier);
  keywords.Take(prefix + "max_delay_s", options.max_delay);
  keywords.Take(prefix + "jitter", options.jitter);
  keywords.Take(prefix + "deadline_s", options.deadline);
  keywords.Take(prefix + "max_attempts", options.max_attempts);
  keywords.Take(prefix + "budget", options.budget);
}

void TakeNetwork(Keywords& keywords, ClientOptions& options) {
  keywords.Take("connect_timeout_s", options.connect_timeout);
  keywords.Take("stall_timeout_s", options.stall_timeout);
  keywords.Take("max_idle_connections", options.max_idle_connections);
  keywords.Take("io_threads", options.io_threads);
  keywords.Take("max_undelivered_bytes", options.max_undelivered_bytes);
  keywords.Take("require_checksum", options.require_checksum);
  keywords.Take("user_agent_prefix", options.user_agent_prefix);
  keywords.Take("ca_file", options.ca_file);
  keywords.Take("client_certificate_file", options.client_certificate_file);
  keywords.Take("client_key_file", options.client_key_file);
  keywords.Take("proxy", options.proxy);
  keywords.Take("no_proxy", options.no_proxy);
  std::map<std::string, std::string> headers;
  keywords.Take("extra_headers", headers);
  options.extra_headers.assign(headers.begin(), headers.end());
}

void TakeLogLevel(Keywords& keywords, ClientOptions& options) {
  std::string name = "none";
  keywords.Take("log_level", name);
  if (name == "none") return;
  const auto level = ParseLogLevel(name);
  if (!level) Raise({ErrorCode::kInvalidArgument, "log_level is none, error, warning, info or debug"});
  options.event_listener = MakeLogger(*level);
}

void TakeAttributes(Keywords& keywords, ObjectAttributes& attributes) {
  keywords.Take("content_type", attributes.content_type);
  keywords.Take("content_encoding", attributes.content_encoding);
  keywords.Take("content_disposition", attributes.content_disposition);
  keywords.Take("content_language", attributes.content_language);
  keywords.Take("cache_control", attributes.cache_control);
  keywords.Take("storage_class", attributes.storage_class);
  keywords.Take("metadata", attributes.metadata);
}

void TakeUpload(Keywords& keywords, UploadOptions& options) {
  keywords.TakeNamed("write_path", options.path, kWritePaths);
  keywords.Take("upload_chunk_bytes", options.chunk_bytes);
  keywords.Take("part_bytes", options.part_bytes);
  keywords.Take("part_memory_bytes", options.part_memory_bytes);
  keywords.Take("upload_max_concurrency", options.max_concurrency);
}

}  // namespace

void Keywords::Finish(const char* function) const {
  for (const auto& [name, value] : rest_) {
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function, name.ptr());
    throw nb::python_error();
  }
}

void Keywords::RaiseWrongType(const std::string& name, nb::handle given) {
  PyErr_Format(PyExc_TypeError, "%s cannot be %R", name.c_str(), given.ptr());
  throw nb::python_error();
}

void Keywords::RaiseWrongName(const std::string& name, const std::string& given, const std::string& all) {
  Raise({ErrorCode::kInvalidArgument, name + " cannot be '" + given + "': it takes " + all});
}

Options TakeClientOptions(Keywords& keywords) {
  Options options;
  ClientOptions& client = options.client;
  keywords.Take("endpoint", client.endpoint);
  keywords.Take("project", client.project);
  keywords.Take("quota_project", client.quota_project);
  keywords.Take("exchange_signed_tokens", client.exchange_signed_tokens);
  TakeCredentials(keywords, client);
  TakeRetry(keywords, "list", client.retry.list);
  TakeRetry(keywords, "download", client.retry.download);
  TakeRetry(keywords, "upload", client.retry.upload);
  TakeRetry(keywords, "metadata", client.retry.metadata);
  keywords.Take("pace_throttled", client.pace_throttled);
  keywords.TakeNamed("idempotency", client.idempotency, kIdempotencyPolicies);
  keywords.Take("hedge_budget", client.hedge_budget);
  keywords.Take("hedge_stall_factor", client.hedge_stall_factor);
  keywords.Take("hedge_min_stall_s", client.hedge_min_stall);
  TakeNetwork(keywords, client);
  TakeLogLevel(keywords, client);

  keywords.Take("max_concurrency", options.download.max_concurrency);
  keywords.Take("adapt_concurrency", options.download.adapts_concurrency);
  keywords.Take("range_bytes", options.download.range_bytes);
  keywords.TakeNamed("composition", options.download.composition, kCompositionModes);
  keywords.Take("max_composite_bytes", options.download.max_composite_bytes);
  keywords.Take("composition_kms_key_name", options.download.composition_kms_key_name);
  keywords.Take("read_ahead_bytes", options.reader.read_ahead_bytes);
  TakeUpload(keywords, options.upload);
  return options;
}

UploadOptions TakeUploadOptions(Keywords& keywords, UploadOptions options) {
  keywords.TakeNamed("mode", options.mode, kWriteModes);
  keywords.Take("generation", options.generation);
  keywords.Take("kms_key_name", options.kms_key_name);
  TakeAttributes(keywords, options.attributes);
  TakeUpload(keywords, options);
  return options;
}

Preconditions TakePreconditions(Keywords& keywords) {
  Preconditions preconditions;
  keywords.Take("if_generation_match", preconditions.if_generation_match);
  keywords.Take("if_generation_not_match", preconditions.if_generation_not_match);
  keywords.Take("if_metageneration_match", preconditions.if_metageneration_match);
  keywords.Take("if_metageneration_not_match", preconditions.if_metageneration_not_match);
  return preconditions;
}

ObjectChanges TakeChanges(Keywords& keywords) {
  ObjectChanges changes;
  keywords.Take("content_type", changes.content_type);
  keywords.Take("content_encoding", changes.content_encoding);
  keywords.Take("content_disposition", changes.content_disposition);
  keywords.Take("content_language", changes.content_language);
  keywords.Take("cache_control", changes.cache_control);
  keywords.Take("event_based_hold", changes.event_based_hold);
  keywords.Take("temporary_hold", changes.temporary_hold);
  keywords.Take("metadata", changes.metadata);
  return changes;
}

BucketOptions TakeBucketOptions(Keywords& keywords) {
  BucketOptions options;
  keywords.Take("location", options.location);
  keywords.Take("storage_class", options.storage_class);
  keywords.Take("hierarchical_namespace", options.hierarchical_namespace);
  std::optional<double> retention_s;
  keywords.Take("soft_delete_retention_s", retention_s);
  if (retention_s) options.soft_delete_retention = std::chrono::seconds(static_cast<std::int64_t>(*retention_s));
  keywords.Take("prefix", options.prefix);
  return options;
}

}  // namespace gcsflux::python
