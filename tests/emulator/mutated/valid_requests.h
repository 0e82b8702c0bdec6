#pragma once

#include <string>
#include <vector>

namespace gcsflux::emulator {

/// Whole requests, as they go over the wire, that an emulator with a bucket "bucket", an object "old" in it and the
/// resumable session `session` and the upload in parts `upload` takes: each route, body and dialect has some.
std::vector<std::string> ValidRequests(const std::string& session, const std::string& upload);

}  // namespace gcsflux::emulator
