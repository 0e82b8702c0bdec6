#pragma once

#include <string>
#include <string_view>

namespace gcsflux::cli {

/// The content type by a name's extension, in any case of letters: "text/html" for "a/INDEX.html". Empty if the
/// extension is not known.
std::string_view ContentTypeOf(std::string_view name);

}  // namespace gcsflux::cli
