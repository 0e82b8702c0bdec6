#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::internal {

/// Puts "[secret]" wherever one of `secrets`, or any 8 bytes of one in a row, stand in a text that is to be shown: as
/// they are, whatever their case; percent-encoded or -decoded, escaped as JSON and HTML do, up to three times; in
/// base64 (both alphabets, beginning anywhere) or in hexadecimal. A secret of fewer than 8 bytes stays: it guards
/// nothing, and would be found in any text. Takes microseconds for each KiB of text and of secrets: for failures only.
void HideSecrets(std::string& text, std::span<const std::string_view> secrets);

/// Those of the URL of an upload's session, which alone lets in those who know it: its upload_id and the segments of
/// its path; where it has no upload_id, all that follows the host. `known` is a segment that may be shown all the same:
/// the bucket's name.
std::vector<std::string> SecretsOfSessionUrl(std::string_view url, std::string_view known);

}  // namespace gcsflux::internal
