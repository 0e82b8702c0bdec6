// Glob patterns: for any pattern and name, a match takes a limited number of steps.

#include <algorithm>
#include <cstdint>

#include "input.h"
#include "store/listing/glob.h"
#include "store/objects/names.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gcsflux::emulator;
  // The pattern is the first line, the name is the rest.
  const std::string_view text = AsText(data, size);
  const std::string_view pattern = text.substr(0, text.find('\n'));
  const std::string_view name = text.substr(std::min(pattern.size() + 1, text.size()));
  const Outcome<Glob> glob = Glob::Parse(pattern);
  if (!glob) return 0;
  std::uint64_t steps = 0;
  const bool matches = glob->Matches(name, steps);
  Require(steps <= 16 * (pattern.size() + 1) * (name.size() + 1),
          "a match takes 16 steps for each pair of bytes at most");
  const bool has_prefix = name.starts_with(glob->literal_prefix());
  Require(!matches || has_prefix || !IsUtf8(name), "what matches begins with the literal prefix");
  return 0;
}
