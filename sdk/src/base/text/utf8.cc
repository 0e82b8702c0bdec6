#include "base/text/utf8.h"

#include <cstddef>

namespace gcsflux::internal {
namespace {

struct Lead {
  std::size_t continuations;
  unsigned char second_min;  // The limits of the second byte exclude overlong forms, surrogates and > U+10FFFF.
  unsigned char second_max;
};

// Table 3-7 of the Unicode standard. `continuations` 4 marks a byte that cannot begin a character.
Lead Classify(unsigned char lead) {
  if (lead < 0x80) return {0, 0, 0};
  if (lead >= 0xC2 && lead <= 0xDF) return {1, 0x80, 0xBF};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2, 0x80, 0xBF};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {3, 0x80, 0xBF};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  return {4, 0, 0};
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const Lead lead = Classify(static_cast<unsigned char>(text[0]));
    if (lead.continuations > 3 || text.size() <= lead.continuations) return false;
    for (std::size_t i = 1; i <= lead.continuations; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < (i == 1 ? lead.second_min : 0x80) || byte > (i == 1 ? lead.second_max : 0xBF)) return false;
    }
    text.remove_prefix(lead.continuations + 1);
  }
  return true;
}

}  // namespace gcsflux::internal
