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

/// Puts "/" in the place of a target that is longer than httplib's 8 KiB, which it would refuse, and returns that
/// target; empty where it is not so long, or above 32 KiB. `head` is what ShieldHead made. The service takes lists by
/// URLs of 16 KiB.
std::string TakeLongTarget(std::string& head);

/// The name that a header field had before ShieldHead.
std::string_view UnshieldedName(std::string_view name);

}  // namespace gcsflux::emulator
