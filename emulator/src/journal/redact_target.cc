#include "journal/redact_target.h"

#include <algorithm>
#include <array>

namespace gcsflux::emulator {
namespace {

// The parameters whose values may be shown, in order. Any other parameter could grant something: the upload_id of a
// session, an access_token, the signature of a signed URL, a key, or one that is not known yet.
constexpr auto kPlain = std::to_array<std::string_view>({
    "X-Goog-Algorithm",
    "X-Goog-Date",
    "X-Goog-Expires",
    "X-Goog-SignedHeaders",
    "alt",
    "autoclass",
    "contentEncoding",
    "continuation-token",
    "copySourceGeneration",
    "cors",
    "delimiter",
    "destinationPredefinedAcl",
    "enableObjectRetention",
    "encoding-type",
    "endOffset",
    "fields",
    "filter",
    "generation",
    "ifGenerationMatch",
    "ifGenerationNotMatch",
    "ifMetagenerationMatch",
    "ifMetagenerationNotMatch",
    "ifSourceGenerationMatch",
    "ifSourceGenerationNotMatch",
    "ifSourceMetagenerationMatch",
    "ifSourceMetagenerationNotMatch",
    "includeFoldersAsPrefixes",
    "includeTrailingDelimiter",
    "key-marker",
    "lifecycle",
    "list-type",
    "location",
    "marker",
    "matchGlob",
    "max-keys",
    "max-parts",
    "max-uploads",
    "maxBytesRewrittenPerCall",
    "maxResults",
    "name",
    "optionsRequestedPolicyVersion",
    "pageToken",
    "part-number-marker",
    "partNumber",
    "permissions",
    "predefinedAcl",
    "predefinedDefaultObjectAcl",
    "prefix",
    "prettyPrint",
    "project",
    "projection",
    "returnPartialSuccess",
    "softDeleted",
    "sourceGeneration",
    "start-after",
    "startOffset",
    "storageClass",
    "tagging",
    "uploadType",
    "uploads",
    "userProject",
    "versioning",
    "versions",
});

static_assert(std::is_sorted(kPlain.begin(), kPlain.end()));

bool IsPrintable(char c) { return c > 0x20 && c < 0x7F; }

void AppendPrintable(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  while (true) {
    const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), IsPrintable) - text.begin());
    out += text.substr(0, end);
    if (end == text.size()) return;
    const auto byte = static_cast<unsigned char>(text[end]);
    out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    text.remove_prefix(end + 1);
  }
}

std::string_view WithoutOrigin(std::string_view raw) {
  if (raw.starts_with('/')) return raw;
  const std::size_t scheme = raw.find("://");
  if (scheme == std::string_view::npos) return raw;
  return raw.substr(std::min(raw.find_first_of("/?", scheme + 3), raw.size()));
}

// "name=value", or a name only.
void AppendParameter(std::string& out, std::string_view parameter) {
  const std::string_view name = parameter.substr(0, parameter.find('='));
  const bool shows_value = name.size() == parameter.size() || std::binary_search(kPlain.begin(), kPlain.end(), name);
  AppendPrintable(out, shows_value ? parameter : name);
  if (!shows_value) out += "=REDACTED";
}

}  // namespace

std::string RedactTarget(std::string_view raw) {
  std::string_view rest = WithoutOrigin(raw);
  std::string redacted;
  redacted.reserve(rest.size());
  const std::size_t path_end = std::min(rest.find('?'), rest.size());
  AppendPrintable(redacted, rest.substr(0, path_end));
  for (rest.remove_prefix(path_end); !rest.empty();) {
    redacted += rest.front();  // '?' first, then '&'
    const std::string_view parameter = rest.substr(1, rest.find('&', 1) - 1);
    AppendParameter(redacted, parameter);
    rest.remove_prefix(1 + parameter.size());
  }
  return redacted;
}

}  // namespace gcsflux::emulator
