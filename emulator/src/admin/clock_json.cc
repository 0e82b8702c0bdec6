#include "admin/clock_json.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/time_format.h"
#include "settings/flat_json.h"
#include "settings/settings_field.h"

namespace gcsflux::emulator {
namespace {

// Times are nanoseconds in 64 bits, which end in 2262; expiries are added to them.
constexpr std::chrono::sys_seconds kLatest = std::chrono::sys_days(std::chrono::year(2200) / 1 / 1);

}  // namespace

std::chrono::nanoseconds ParseAdvance(std::string_view json, Clock::Time now) {
  const double most = std::max(0.0, std::chrono::duration<double>(kLatest - now).count());
  std::optional<double> seconds;
  for (const JsonMember& member : ParseFlatJson(json)) {
    if (member.name != "advance_s") throw std::invalid_argument("unknown field " + member.name);
    try {
      seconds = ParseSetting(member.text, 0.0, 0, most);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("advance_s: " + std::string(error.what()));
    }
  }
  if (!seconds) throw std::invalid_argument("advance_s is missing");
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(*seconds));
}

std::string RenderClock(Clock::Time now) { return "{\"now\":\"" + FormatRfc3339(now) + "\"}"; }

}  // namespace gcsflux::emulator
