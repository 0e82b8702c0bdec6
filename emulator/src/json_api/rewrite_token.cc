#include "json_api/rewrite_token.h"

#include <algorithm>
#include <charconv>

#include "http/hash_text.h"
#include "store/bytes/md5.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

// Nothing is kept between the calls. The token is the number, with a digest of it and of the rewrite that it belongs
// to.
std::string EncodeRewriteToken(const RewriteName& rewrite, std::uint64_t rewritten) {
  std::string text = std::to_string(rewritten);
  std::string described = text;
  // No name contains a line feed.
  for (const std::string& part :
       {rewrite.source_bucket, rewrite.source_object, std::to_string(rewrite.source_generation),
        rewrite.destination_bucket, rewrite.destination_object, std::to_string(rewrite.bytes_per_call)}) {
    described += '\n' + part;
  }
  std::string digest = EncodeMd5(ComputeMd5(Rope(described)));
  std::replace(digest.begin(), digest.end(), '+', '-');
  std::replace(digest.begin(), digest.end(), '/', '_');
  digest.resize(std::min(digest.find('='), digest.size()));
  return text + '.' + digest;
}

std::optional<std::uint64_t> DecodeRewriteToken(const RewriteName& rewrite, std::string_view token) {
  std::uint64_t rewritten = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), rewritten);
  if (error != std::errc() || token != EncodeRewriteToken(rewrite, rewritten)) return std::nullopt;
  return rewritten;
}

}  // namespace gcsflux::emulator
