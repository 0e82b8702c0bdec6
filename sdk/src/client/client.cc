#include "gcsflux/client.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/option_range.h"
#include "base/process/per_process.h"
#include "client/client_core.h"
#include "client/endpoint.h"
#include "client/network.h"
#include "http/curl_transport.h"
#include "loop/system_timing.h"
#include "retry/check_options.h"

namespace gcsflux {

using internal::RangeOf;

namespace {

Result<void> CheckOptions(const ClientOptions& options) {
  const auto refuse = [](const char* why) { return Error{ErrorCode::kInvalidArgument, why}; };
  for (const RetryOptions* retry :
       {&options.retry.list, &options.retry.download, &options.retry.upload, &options.retry.metadata}) {
    if (auto checked = internal::CheckRetryOptions(*retry); !checked) return checked;
  }
  if (options.hedge_min_stall.count() < 1) return refuse("ClientOptions::hedge_min_stall must be at least 1 ms");
  if (options.connect_timeout.count() < 1) return refuse("ClientOptions::connect_timeout must be at least 1 ms");
  if (options.stall_timeout.count() < 1) return refuse("ClientOptions::stall_timeout must be at least 1 s");
  return internal::CheckRanges(
      {{"ClientOptions::hedge_budget", RangeOf("hedge_budget"), options.hedge_budget},
       {"ClientOptions::hedge_stall_factor", RangeOf("hedge_stall_factor"), options.hedge_stall_factor},
       {"ClientOptions::max_idle_connections", RangeOf("max_idle_connections"), options.max_idle_connections},
       {"ClientOptions::io_threads", RangeOf("io_threads"), options.io_threads.value_or(1)}});
}

// The number of processors, but no more than 100 Gbit/s need.
std::size_t IoThreads(const ClientOptions& options) {
  constexpr unsigned kMostByDefault = 4;
  if (options.io_threads) return static_cast<std::size_t>(*options.io_threads);
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMostByDefault);
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
  const auto network = internal::ResolveNetwork(options, internal::ProcessEnv, internal::ReadLocalFile);
  if (!network) return network.error();
  if (auto checked = internal::CheckExtraHeaders(options.extra_headers); !checked) return checked.error();
  ClientCore::Settings settings{.endpoint = *endpoint,
                                .project = options.project,
                                .authorization = *std::move(authorization),
                                .retry = options.retry,
                                .pace_throttled = options.pace_throttled,
                                .idempotency = options.idempotency,
                                .extra_headers = options.extra_headers,
                                .proxy_secrets = internal::ProxySecrets(options, internal::ProcessEnv),
                                .hedge = {.budget = options.hedge_budget,
                                          .stall_factor = options.hedge_stall_factor,
                                          .min_stall = options.hedge_min_stall},
                                .require_checksum = options.require_checksum,
                                .max_undelivered_bytes = options.max_undelivered_bytes,
                                .io_threads = IoThreads(options),
                                .event_listener = options.event_listener};
  const auto make = [settings = std::move(settings), network = *network](const ClientCore*) {
    return std::make_unique<const ClientCore>(settings, internal::MakeCurlTransport(network), internal::SystemTiming());
  };
  return Client(std::make_shared<const Cores>(make));
}

Client::Client(std::shared_ptr<const ClientCore> core) : cores_(std::make_shared<const Cores>(std::move(core))) {}

const ClientCore& Client::core() const { return cores_->Get(); }

Counters Client::counters() const { return core().observer().counters(); }

std::vector<GateStatus> Client::flow_control() const { return core().flow_control(); }

}  // namespace gcsflux
