#include "service/idempotency_settings.h"

#include <charconv>
#include <stdexcept>

#include "settings/flat_json.h"

namespace gcsflux::emulator {

std::chrono::nanoseconds ParseIdempotencyWindow(std::string_view json) {
  constexpr double kMostSeconds = 86'400;
  double seconds = -1;
  for (const JsonMember& member : ParseFlatJson(json)) {
    if (member.name != "window_s") throw std::invalid_argument("unknown field " + member.name);
    const char* const end = member.text.data() + member.text.size();
    const auto [rest, error] = std::from_chars(member.text.data(), end, seconds);
    if (error != std::errc() || rest != end) seconds = -1;
  }
  const bool is_in_range = seconds >= 0 && seconds <= kMostSeconds;
  if (!is_in_range) throw std::invalid_argument("window_s must be a number from 0 to 86400");
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

std::string RenderIdempotencyWindow(std::chrono::nanoseconds window) {
  std::string text = std::to_string(std::chrono::duration<double>(window).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return "{\"window_s\":" + text + "}";
}

}  // namespace gcsflux::emulator
