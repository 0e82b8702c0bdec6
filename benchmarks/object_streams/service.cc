#include "object_streams/service.h"

#include <span>
#include <stdexcept>

#include "bare_curl.h"
#include "client_options.h"
#include "gcsflux/upload.h"

namespace gcsflux::bench {
namespace {

Client ClientAt(const std::string& endpoint) {
  ClientOptions options = OptionsAt(endpoint);
  options.project = "bench";
  return *Client::Create(options);
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

StreamService::StreamService() : client_(ClientAt(emulator_.endpoint())) {
  if (!client_.InsertBucket(kStreamBucket)) throw std::runtime_error("no bucket");
}

void StreamService::BeLikeGcs(double read_mbps, double write_mbps) const {
  BeShapedLikeGcs(read_mbps, write_mbps);
  Set("quotas", R"({"profile": "gcs"})");
}

void StreamService::BeShapedLikeGcs(double read_mbps, double write_mbps) const {
  std::string json = R"({"profile": "gcs")";
  if (read_mbps > 0) json += R"(, "stream_read_mbps": )" + std::to_string(read_mbps);
  if (write_mbps > 0) json += R"(, "stream_write_mbps": )" + std::to_string(write_mbps);
  Set("shaping", json + "}");
}

void StreamService::BeFast() const {
  Set("shaping", "{}");
  Set("quotas", "{}");
}

void StreamService::Set(const std::string& what, const std::string& json) const {
  if (BareCurl().Put(endpoint() + "/_emulator/" + what, std::as_bytes(std::span(json)))) return;
  throw std::runtime_error("the emulator refuses these " + what + ": " + json);
}

ObjectName StreamService::NewName() { return {kStreamBucket, "object-" + std::to_string(++names_)}; }

ObjectMetadata StreamService::Store(std::uint64_t bytes) {
  ObjectWriter writer(client_, NewName(), {.path = WritePath::kParallel});
  for (std::uint64_t left = bytes; left > 0;) {
    const auto count = std::min(left, kBlockBytes);
    if (!writer.Write(AsBytes(std::string_view(Block()).substr(0, static_cast<std::size_t>(count))))) break;
    left -= count;
  }
  const auto stored = writer.Close();
  if (!stored) throw std::runtime_error(stored.error().message);
  return *stored;
}

const std::string& Block() {
  static const std::string block = [] {
    std::string bytes(kBlockBytes, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761U >> 16U);
    return bytes;
  }();
  return block;
}

double ChildrenCpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

}  // namespace gcsflux::bench
