#include "traffic/client_attempt.h"

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

// The token behind `name`, up to a space; empty where it is not there.
std::string_view ValueOf(std::string_view header, std::string_view name) {
  const std::size_t at = header.find(name);
  if (at == std::string_view::npos || (at != 0 && header[at - 1] != ' ')) return {};
  header.remove_prefix(at + name.size());
  return header.substr(0, header.find_first_of(" ,"));
}

}  // namespace

ClientAttempt ParseClientAttempt(std::string_view header) {
  ClientAttempt parsed;
  const std::string_view id = ValueOf(header, kInvocation);
  if (IsId(id)) parsed.invocation_id = id;
  const std::string_view count = ValueOf(header, kAttempt);
  int attempt = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), attempt);
  if (error == std::errc() && end == count.data() + count.size() && attempt > 0) parsed.attempt = attempt;
  return parsed;
}

}  // namespace gcsflux::emulator
