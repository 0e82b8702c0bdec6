// One bit of a download is flipped.

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "http/content_range.h"
#include "http/hash_text.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

// Which bytes of which object an answer has.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t object_size = 0;
};

Extent ExtentOf(const HttpResponse& response, std::uint64_t body_size) {
  const std::string* header = response.headers.Find("content-range");
  const auto range = header != nullptr ? ParseContentRange(*header) : std::nullopt;
  if (!range || !range->bytes) return {0, body_size};
  return {range->bytes->first, range->total.value_or(0)};
}

std::uint32_t Crc32cOf(std::byte byte) { return ExtendCrc32c(0, std::span(&byte, 1)); }

// CRCs are linear: a byte's share of one depends on that byte and on the number of bytes after it.
std::uint32_t ChangedCrc32c(std::uint32_t crc32c, std::byte from, std::byte to, std::uint64_t bytes_behind) {
  return crc32c ^ CombineCrc32c(Crc32cOf(from) ^ Crc32cOf(to), 0, bytes_behind);
}

std::optional<std::uint32_t> ReadCrc32c(const HttpHeaders& headers) {
  constexpr std::string_view kName = "crc32c=";
  const std::string* hashes = headers.Find("x-goog-hash");
  const std::size_t begin = hashes != nullptr ? hashes->find(kName) : std::string::npos;
  if (begin == std::string::npos) return std::nullopt;
  const std::string_view value = std::string_view(*hashes).substr(begin + kName.size());
  return DecodeCrc32c(value.substr(0, value.find(',')));
}

class Corrupt final : public Interceptor {
 public:
  static constexpr std::array<std::string_view, 3> kOptional = {"atByte", "afterBytes", "matchingHashes"};

  Corrupt(const FaultAction& action, std::shared_ptr<Firing> firing) : action_(action), firing_(std::move(firing)) {}

  void After(HttpResponse& response, const RequestSubject& /*subject*/, const RequestContext& context) override {
    auto* bytes = std::get_if<Rope>(&response.body);
    if (!context.preview.is_media_read || bytes == nullptr || response.status >= 300) return;
    const std::uint64_t sent = std::min(bytes->size(), response.false_length.value_or(UINT64_MAX));
    const Extent extent = ExtentOf(response, bytes->size());
    const std::uint64_t at_byte = action_.at_byte.value_or(extent.offset + action_.after_bytes.value_or(0));
    if (at_byte < extent.offset || at_byte - extent.offset >= sent) return;
    if (context.fired->HasChangedByte(at_byte) || !firing_->Fire()) return;
    context.fired->AddChangedByte(at_byte);
    const std::uint64_t place = at_byte - extent.offset;
    const char from = bytes->Slice(place, 1).ToString()[0];
    const char to = static_cast<char>(from ^ 1);
    Rope corrupted = bytes->Slice(0, place);
    corrupted.Append(Rope(std::string_view(&to, 1)));
    corrupted.Append(bytes->Slice(place + 1, bytes->size() - place - 1));
    if (action_.matching_hashes == true) {
      Match(response.headers, std::byte(from), std::byte(to), extent.object_size - at_byte - 1);
    }
    response.body = std::move(corrupted);
  }

 private:
  // As if the object had always been so. A true MD5 would need all of the object's bytes.
  static void Match(HttpHeaders& headers, std::byte from, std::byte to, std::uint64_t bytes_behind) {
    const std::optional<std::uint32_t> crc32c = ReadCrc32c(headers);
    headers.Remove("x-goog-hash");
    headers.Remove("etag");  // the entity tag of the XML API is an MD5
    if (crc32c) headers.Add("X-Goog-Hash", "crc32c=" + EncodeCrc32c(ChangedCrc32c(*crc32c, from, to, bytes_behind)));
  }

  const FaultAction action_;
  const std::shared_ptr<Firing> firing_;
};

std::optional<FieldComplaint> CheckCorrupt(const FaultAction& action) {
  if (action.at_byte && action.after_bytes) return FieldComplaint{"afterBytes", "cannot be combined with atByte"};
  return std::nullopt;
}

}  // namespace

const ActionKind kCorrupt = {
    .type = "corrupt", .optional = Corrupt::kOptional, .make = &MakeA<Corrupt>, .check = &CheckCorrupt};

}  // namespace gcsflux::emulator
