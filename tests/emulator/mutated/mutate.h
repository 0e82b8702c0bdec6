#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

/// One of the requests, changed in one to six places: bytes, tokens, numbers, runs that are removed or repeated, parts
/// of another request. Mostly with a Content-Length that fits again, so that the code that reads the body is reached.
std::string Mutate(const std::vector<std::string>& requests, std::mt19937_64& random);

}  // namespace gcsflux::emulator
