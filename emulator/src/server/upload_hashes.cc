#include "server/upload_hashes.h"

#include <algorithm>
#include <string_view>

#include "server/base64.h"
#include "server/resource_json.h"

namespace gcsflux::emulator {
namespace {

ApiResult<void> Expect(std::optional<std::string>& expected, std::string_view value) {
  if (expected && *expected != value) {
    return tl::unexpected(BadRequest("The request gives two different values for one hash."));
  }
  expected = std::string(value);
  return {};
}

ApiResult<void> CheckHash(std::string_view kind, const std::optional<std::string>& expected, std::size_t size,
                          const std::string& calculated) {
  if (!expected || *expected == calculated) return {};
  const std::optional<std::string> decoded = DecodeBase64(*expected);
  if (!decoded || decoded->size() != size) {
    return tl::unexpected(BadRequest("Invalid " + std::string(kind) + " hash \"" + *expected + "\"."));
  }
  return tl::unexpected(BadRequest("Provided " + std::string(kind) + " hash \"" + *expected +
                                   "\" doesn't match calculated " + std::string(kind) + " hash \"" + calculated +
                                   "\"."));
}

}  // namespace

ApiResult<void> ReadHashHeader(const std::optional<std::string>& header, ExpectedHashes& hashes) {
  std::string_view rest = header ? std::string_view(*header) : std::string_view();
  while (!rest.empty()) {
    std::string_view item = rest.substr(0, std::min(rest.find(','), rest.size()));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    ApiResult<void> read;
    if (item.starts_with("crc32c=")) {
      read = Expect(hashes.crc32c, item.substr(7));
    } else if (item.starts_with("md5=")) {
      read = Expect(hashes.md5, item.substr(4));
    } else {
      read = tl::unexpected(BadRequest("Invalid value for x-goog-hash: " + *header));
    }
    if (!read) return read;
  }
  return {};
}

ApiResult<void> CheckHashes(const ExpectedHashes& hashes, const Body& body) {
  const ApiResult<void> crc32c = CheckHash("CRC32C", hashes.crc32c, 4, EncodeCrc32c(body.crc32c()));
  if (!crc32c || !hashes.md5) return crc32c;
  return CheckHash("MD5", hashes.md5, 16, EncodeMd5(body.md5()));
}

}  // namespace gcsflux::emulator
