#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// What is wrong with a request's head, its last empty line included, or nothing. Wrong is a field name that is not
/// valid ("Length : 5"), a line that continues the one before it, a line that does not end in CRLF, a Content-Length
/// without a value, or a Host that is not valid. Readers understand such heads differently. If another one understands
/// a head differently than this one, a client may send one request that becomes two:
/// https://www.rfc-editor.org/rfc/rfc9112#section-11
std::optional<std::string> FindHeadFault(std::string_view head);

}  // namespace gcsflux::emulator
