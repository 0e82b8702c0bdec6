#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::internal {

/// Replaces each of `secrets`, and any 8 consecutive bytes of one, in a text by "[secret]". It finds them in any case;
/// percent-encoded or -decoded; escaped as in JSON and HTML, up to three times; in base64 (both alphabets, from any
/// offset); and in hexadecimal. A secret of fewer than 8 bytes is not hidden: it protects nothing, and any text could
/// contain it. Takes microseconds for each KiB of text and of secrets: use it for failures only.
void HideSecrets(std::string& text, std::span<const std::string_view> secrets);

/// The secret parts of the URL of an upload's session, which is a credential: its upload_id and the segments of its
/// path. If it has no upload_id, everything behind the host. `known` is a segment that is not secret: the bucket's
/// name.
std::vector<std::string> SecretsOfSessionUrl(std::string_view url, std::string_view known);

}  // namespace gcsflux::internal
