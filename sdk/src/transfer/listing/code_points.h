#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gcsflux::internal::listing {

/// Takes one character off the front. Bytewise order of UTF-8 is the order of its code points, so keys that are made of
/// whole ones are cuts at which the service and we agree. A malformed byte counts as U+FFFD: a service that sends one
/// gets worse cuts, not wrong ones.
char32_t TakeCodePoint(std::string_view& text);

void AppendCodePoint(std::string& text, char32_t code);

/// How many bytes two keys have in common at their beginnings, in whole characters.
std::size_t CommonPrefix(std::string_view a, std::string_view b);

/// The least key above all that begin with `prefix`; empty where there is none, which is the end of all keys.
std::string EndOfPrefix(std::string_view prefix);

/// Up to the last '/', that one included; empty where there is none.
std::string_view DirectoryOf(std::string_view key);

}  // namespace gcsflux::internal::listing
