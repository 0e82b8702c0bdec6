#pragma once

#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// What a request is about, as far as it has been understood: for the journal and the counters.
struct RequestSubject {
  std::string_view operation = "unknown";  ///< "storage.objects.insert", say; lives for ever.
  std::string_view phase = {};             ///< Of an upload in several requests: "start", "chunk" and so on; likewise.
  std::string bucket = {};
  std::string object = {};
};

}  // namespace gcsflux::emulator
