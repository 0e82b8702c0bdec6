#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gcsflux::internal::listing {

/// Removes one character from the front. Bytewise order of UTF-8 is the order of its code points, so keys of whole
/// characters are cuts on which the service and this library agree. A malformed byte counts as U+FFFD: if a service
/// sends one, cuts are worse, but not wrong.
char32_t TakeCodePoint(std::string_view& text);

void AppendCodePoint(std::string& text, char32_t code);

/// The length of the common prefix of two keys, in bytes of whole characters.
std::size_t CommonPrefix(std::string_view a, std::string_view b);

/// The smallest key above all keys that begin with `prefix`. Empty if there is none, which means the end of all keys.
std::string EndOfPrefix(std::string_view prefix);

/// The part up to and including the last '/'. Empty if there is none.
std::string_view DirectoryOf(std::string_view key);

}  // namespace gcsflux::internal::listing
