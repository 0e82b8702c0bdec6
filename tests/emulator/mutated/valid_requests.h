#pragma once

#include <string>
#include <vector>

namespace gcsflux::emulator {

/// Complete requests, as bytes, for an emulator with a bucket "bucket", an object "old" in it, the resumable session
/// `session` and the upload in parts `upload`. Every route, body and dialect occurs.
std::vector<std::string> ValidRequests(const std::string& session, const std::string& upload);

}  // namespace gcsflux::emulator
