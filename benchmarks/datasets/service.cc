#include "datasets/service.h"

#include <span>
#include <stdexcept>
#include <utility>

#include "bare_curl.h"
#include "client_options.h"

namespace gcsflux::bench {

SizeClass ClassOf(std::int64_t kib) {
  switch (kib) {
    case 100: return {.bytes = 100 << 10, .objects = 2000};
    case 500: return {.bytes = 500 << 10, .objects = 2000};
    case 3072: return {.bytes = 3 << 20, .objects = 960, .stream_mbps = 100};
    default: return {.bytes = 150 << 20, .objects = 8, .batch = 8, .stream_mbps = 30};
  }
}

Client Service::MakeClient(std::uint64_t max_undelivered_bytes) const {
  ClientOptions options = OptionsAt(endpoint());
  options.project = "bench";
  if (max_undelivered_bytes > 0) options.max_undelivered_bytes = max_undelivered_bytes;
  return *Client::Create(options);
}

std::vector<ListedObject> Service::Store(const SizeClass& size) const {
  const Client client = MakeClient();
  std::string content(size.bytes, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 2654435761U >> 16U);
  const ObjectName first{kBucket, "object-0"};
  if (client.InsertBucket(kBucket)) (void)client.InsertObject(first, AsBytes(content));
  std::vector<ListedObject> stored;
  for (std::size_t i = 0; i < size.objects; ++i) {
    const auto copy = client.CopyObject(first, {kBucket, "copy-" + std::to_string(1'000'000 + i)});
    if (!copy) throw std::runtime_error(copy.error().message);
    stored.push_back({.name = copy->name, .size = copy->size, .generation = copy->generation, .crc32c = copy->crc32c});
  }
  return stored;
}

void Service::BeLikeGcs(double stream_mbps) const {
  const std::string rate = stream_mbps > 0 ? R"(, "stream_read_mbps": )" + std::to_string(stream_mbps) : "";
  Set("shaping", R"({"profile": "gcs")" + rate + "}");
  Set("quotas", R"({"profile": "gcs"})");
}

void Service::LimitWrites(std::int64_t per_second) const {
  const std::string rate = std::to_string(per_second);
  Set("quotas", R"({"profile": "gcs", "writes_per_second": )" + rate + R"(, "range_writes_per_second": )" + rate + "}");
}

void Service::TakePerRequest(int milliseconds) const {
  const std::string time = std::to_string(milliseconds);
  std::string json;
  for (const char* of : {"read", "write", "list", "compose", "delete"}) {
    json += (json.empty() ? "{\"" : ", \"") + std::string(of) + "_first_byte_ms\": " + time;
  }
  Set("shaping", json + "}");
}

void Service::BeFast() const {
  Set("shaping", "{}");
  Set("quotas", "{}");
}

void Service::Set(const std::string& what, const std::string& json) const {
  const auto body = std::as_bytes(std::span(json));
  if (!BareCurl().Put(endpoint() + "/_emulator/" + what, body)) {
    throw std::runtime_error("the emulator refuses these " + what + ": " + json);
  }
}

}  // namespace gcsflux::bench
