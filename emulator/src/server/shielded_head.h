#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// A request's head, rewritten so that cpp-httplib 0.11.4 parses it without acting on it.
///
/// Left alone, httplib decodes %XX in header values, evaluates Range through a recursive std::regex (and answers 416
/// by itself where HTTP says to ignore the field), compresses answers as Accept-Encoding allows, answers Expect
/// before anybody has looked at the request, and refuses a second '?' in a target.
std::string ShieldHead(std::string_view head);

/// The name that a header field had before ShieldHead.
std::string_view UnshieldedName(std::string_view name);

}  // namespace gcsflux::emulator
