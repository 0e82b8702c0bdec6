// Uses a client over TLS while the process ends: tls_exit_tool ENDPOINT CA_FILE. Ends with 42 if that works.
#include <unistd.h>

#include <optional>

#include "gcsflux/client.h"

namespace {

constexpr int kWorked = 42;
constexpr int kFailed = 43;

// Made before main(), so that it is destroyed after all that main() registers for the end of the process.
struct UsedAtExit {
  std::optional<gcsflux::ClientOptions> options = {};
  std::optional<gcsflux::Client> client = {};

  UsedAtExit() = default;
  UsedAtExit(const UsedAtExit&) = delete;
  UsedAtExit& operator=(const UsedAtExit&) = delete;
  ~UsedAtExit() {
    if (!client) return;
    const auto other = gcsflux::Client::Create(*options);  // It opens its own connection.
    const bool works = client->GetBucket("bkt").ok() && other && other->GetBucket("bkt").ok();
    ::_exit(works ? kWorked : kFailed);
  }
};

UsedAtExit used_at_exit;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  used_at_exit.options = {.endpoint = argv[1],
                          .credentials = gcsflux::Credentials::Anonymous(),
                          .project = "test",
                          .retry = gcsflux::RetryPolicies::All({.max_attempts = 1}),
                          .ca_file = argv[2]};
  const auto client = gcsflux::Client::Create(*used_at_exit.options);
  if (!client || !client->InsertBucket("bkt")) return 1;
  used_at_exit.client = *client;
  return 0;
}
