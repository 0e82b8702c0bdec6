#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// A request's head, rewritten so that cpp-httplib 0.11.4 parses it without acting on it.
///
/// Without this, httplib decodes %XX in header values, evaluates Range through a recursive std::regex (and itself
/// answers 416 where HTTP says to ignore the field), compresses answers as Accept-Encoding allows, answers Expect
/// before the handler has seen the request, and refuses a second '?' in a target.
std::string ShieldHead(std::string_view head);

/// If a target is longer than httplib's 8 KiB, which httplib would refuse, replaces it by "/" and returns it. Returns
/// "" if it is not so long, or above 32 KiB. `head` is the result of ShieldHead. The service accepts URLs of 16 KiB in
/// lists.
std::string TakeLongTarget(std::string& head);

/// The name that a header field had before ShieldHead.
std::string_view UnshieldedName(std::string_view name);

}  // namespace gcsflux::emulator
