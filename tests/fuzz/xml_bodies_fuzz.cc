// The XML bodies of requests: an accepted body is within the service's limits, and round-trips.

#include <string>

#include "input.h"
#include "xml_api/xml_requests.h"

namespace gcsflux::emulator {
namespace {

std::string Etag(const Md5Digest& digest) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string etag;
  for (const std::byte byte : digest) {
    etag += kHex[std::to_integer<std::size_t>(byte) >> 4U];
    etag += kHex[std::to_integer<std::size_t>(byte) & 15U];
  }
  return etag;
}

std::string Write(const std::vector<PartReference>& parts) {
  std::string xml = "<CompleteMultipartUpload>";
  for (const PartReference& part : parts) {
    xml += "<Part><PartNumber>" + std::to_string(part.number) + "</PartNumber><ETag>";
    xml += part.md5 ? Etag(*part.md5) : "none";
    xml += "</ETag></Part>";
  }
  return xml + "</CompleteMultipartUpload>";
}

void CheckCompleteUpload(std::string_view xml) {
  const auto parts = ParseCompleteUpload(xml);
  if (!parts) return;
  Require(!parts->empty(), "an upload completes with one part at least");
  for (const PartReference& part : *parts) {
    Require(part.number >= 1 && part.number <= kMaxPartNumber, "a part's number is one that a part can have");
  }
  const auto again = ParseCompleteUpload(Write(*parts));
  Require(again && Write(*again) == Write(*parts), "parts that are written are read alike");
}

void CheckDelete(std::string_view xml) {
  const auto objects = ParseDelete(xml);
  if (!objects) return;
  Require(!objects->entries.empty() && objects->entries.size() <= 1000, "a list names between 1 and 1000 objects");
  for (const auto& entry : objects->entries) Require(!entry.name.empty(), "an object has a name");
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view xml = gcsflux::emulator::AsText(data, size);
  gcsflux::emulator::CheckCompleteUpload(xml);
  gcsflux::emulator::CheckDelete(xml);
  static_cast<void>(gcsflux::emulator::ParseBucketConfiguration(xml));
  return 0;
}
