#include "base/composite_name.h"

#include "base/text/rfc3339.h"

namespace gcsflux::internal {

std::string FormatRun(std::chrono::system_clock::time_point start, std::string_view uuid) {
  std::string run;
  for (const char c : FormatRfc3339(start)) {
    if (c == '.') break;  // Seconds are precise enough.
    if (c != '-' && c != ':') run += c;
  }
  return run + "Z-" + std::string(uuid.substr(0, 8));
}

std::string CompositeName(std::string_view run, std::string_view uuid) {
  std::string name(kCompositePrefix);
  name += run;
  name += '/';
  return name += uuid;
}

}  // namespace gcsflux::internal
