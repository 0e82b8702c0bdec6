#include "api/upload_hashes.h"

#include <algorithm>
#include <string_view>

#include "http/hash_text.h"

namespace gcsflux::emulator {
namespace {

// Sets `hash`. Fails if the text is not such a hash, or if `hash` is already set to another one.
template <class Hash>
bool Expect(std::optional<Hash>& hash, const std::optional<Hash>& decoded) {
  if (!decoded || (hash && *hash != *decoded)) return false;
  hash = decoded;
  return true;
}

bool ReadItem(std::string_view item, ExpectedHashes& hashes) {
  constexpr std::string_view kCrc32c = "crc32c=";
  constexpr std::string_view kMd5 = "md5=";
  if (item.starts_with(kCrc32c)) return Expect(hashes.crc32c, DecodeCrc32c(item.substr(kCrc32c.size())));
  if (item.starts_with(kMd5)) return Expect(hashes.md5, DecodeMd5(item.substr(kMd5.size())));
  return false;
}

ApiError Mismatch(const std::string& kind, const std::string& provided, const std::string& calculated) {
  return BadRequest("Provided " + kind + " hash \"" + provided + "\" doesn't match calculated " + kind + " hash \"" +
                    calculated + "\".");
}

}  // namespace

ApiResult<void> ReadHashHeader(const std::optional<std::string>& header, ExpectedHashes& hashes) {
  std::string_view rest = header ? std::string_view(*header) : std::string_view();
  while (!rest.empty()) {
    std::string_view item = rest.substr(0, std::min(rest.find(','), rest.size()));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    if (!ReadItem(item, hashes)) return tl::unexpected(BadRequest("Invalid value for x-goog-hash: " + *header));
  }
  return {};
}

ApiResult<void> CheckHashes(const ExpectedHashes& hashes, const Body& body) {
  if (hashes.crc32c && *hashes.crc32c != body.crc32c()) {
    return tl::unexpected(Mismatch("CRC32C", EncodeCrc32c(*hashes.crc32c), EncodeCrc32c(body.crc32c())));
  }
  if (hashes.md5 && *hashes.md5 != body.md5()) {
    return tl::unexpected(Mismatch("MD5", EncodeMd5(*hashes.md5), EncodeMd5(body.md5())));
  }
  return {};
}

}  // namespace gcsflux::emulator
