#include "journal/client_attempt.h"

#include <algorithm>
#include <charconv>

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kInvocation = "gccl-invocation-id/";
constexpr std::string_view kAttempt = "gccl-attempt-count/";
constexpr std::size_t kMaxInvocation = 64;  // a UUID has 36

bool IsId(std::string_view text) {
  return text.size() <= kMaxInvocation && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
         });
}

int ParseAttempt(std::string_view text) {
  int attempt = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), attempt);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && attempt > 0 ? attempt : 0;
}

}  // namespace

ClientAttempt ParseClientAttempt(std::string_view header) {
  ClientAttempt parsed;
  while (!header.empty()) {
    const std::string_view token = header.substr(0, header.find(' '));
    header.remove_prefix(std::min(token.size() + 1, header.size()));
    if (token.starts_with(kInvocation) && IsId(token.substr(kInvocation.size()))) {
      parsed.invocation_id = token.substr(kInvocation.size());
    } else if (token.starts_with(kAttempt)) {
      parsed.attempt = ParseAttempt(token.substr(kAttempt.size()));
    }
  }
  return parsed;
}

}  // namespace gcsflux::emulator
