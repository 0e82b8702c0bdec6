#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// What is wrong with a request's head, its last empty line included, or nothing: a field whose name is none ("Length :
/// 5"), a line that continues the one before it, a line that does not end in CRLF, a Content-Length without a value, a
/// Host that is none. Readers differ in what they take such a head for; who takes it otherwise than we do may send us
/// one request that is two: https://www.rfc-editor.org/rfc/rfc9112#section-11
std::optional<std::string> FindHeadFault(std::string_view head);

}  // namespace gcsflux::emulator
