#include <gcsflux/client.h>

// Nothing listens on port 1 of loopback: the call fails, in the code that sends requests.
int main() {
  const auto client = gcsflux::Client::Create({.endpoint = "http://127.0.0.1:1"});
  if (!client) return 1;
  const auto content =
      client->ReadObject({"consumer", "hello"}, {.call = {.retry = gcsflux::RetryOptions{.max_attempts = 1}}});
  return content ? 1 : 0;
}
