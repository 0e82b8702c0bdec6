#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/authorization.h"
#include "gcsflux/events.h"
#include "gcsflux/options.h"
#include "http/transport.h"
#include "retry/read_pace.h"

namespace gcsflux::internal {

/// ClientOptions with all defaults resolved.
struct ClientSettings {
  std::string endpoint;  ///< "scheme://host:port"
  std::string project;
  Authorization authorization = {};
  RetryPolicies retry = {};
  bool pace_throttled = true;
  IdempotencyPolicy idempotency = IdempotencyPolicy::kStrict;
  HeaderList extra_headers = {};
  std::vector<std::string> proxy_secrets = {};  ///< Secrets in the proxy's URL, which no message may show.
  HedgeOptions hedge = {};
  bool require_checksum = false;
  std::uint64_t max_undelivered_bytes = ClientOptions().max_undelivered_bytes;
  std::size_t io_threads = 1;
  std::shared_ptr<EventListener> event_listener = nullptr;
};

}  // namespace gcsflux::internal
