#include "cli/checkpoint/keep_flags.h"

#include <gflags/gflags.h>

#include <charconv>
#include <string>

DEFINE_int64(keep_last, 0, "checkpoint prune: keeps this many newest steps.");
DEFINE_string(
    keep_best, "",
    "checkpoint prune: keeps the best steps by a metric, as METRIC:min or METRIC:max, with a count behind it if "
    "it is more than one: accuracy:max:3.");
DEFINE_int64(keep_every, 0, "checkpoint prune: keeps the steps that are multiples of it.");
DEFINE_bool(keep_hourly, false, "checkpoint prune: keeps the newest step of each hour, UTC.");
DEFINE_bool(keep_daily, false, "checkpoint prune: keeps the newest step of each day, UTC.");

namespace gcsflux::cli {
namespace {

Error WrongFlag(const std::string& name, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "flag --" + name + ": " + why};
}

}  // namespace

Result<KeepBest> ParseKeepBest(std::string_view text) {
  const auto wrong = [&] {
    return WrongFlag("keep_best", "'" + std::string(text) + "' is not METRIC:min, METRIC:max or METRIC:max:COUNT");
  };
  KeepBest best;
  std::string_view rest = text;
  const std::size_t last = rest.rfind(':');
  if (last == rest.npos) return wrong();
  if (const std::string_view count = rest.substr(last + 1); count != "min" && count != "max") {
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), best.count);
    if (error != std::errc() || end != count.data() + count.size() || best.count == 0) return wrong();
    rest = rest.substr(0, last);
  }
  if (!rest.ends_with(":min") && !rest.ends_with(":max")) return wrong();
  best.is_highest_best = rest.ends_with(":max");
  best.metric = rest.substr(0, rest.size() - 4);
  if (best.metric.empty()) return wrong();
  return best;
}

Result<KeepRules> KeepRulesFromFlags() {
  if (FLAGS_keep_last < 0) return WrongFlag("keep_last", "it is at least 1");
  if (FLAGS_keep_every < 0) return WrongFlag("keep_every", "it is at least 1");
  KeepRules rules{.hourly = FLAGS_keep_hourly, .daily = FLAGS_keep_daily};
  if (FLAGS_keep_last > 0) rules.last = static_cast<std::size_t>(FLAGS_keep_last);
  if (FLAGS_keep_every > 0) rules.every = FLAGS_keep_every;
  if (!FLAGS_keep_best.empty()) {
    auto best = ParseKeepBest(FLAGS_keep_best);
    if (!best) return best.error();
    rules.best = *std::move(best);
  }
  if (rules.last || rules.every || rules.best || rules.hourly || rules.daily) return rules;
  return Error{ErrorCode::kInvalidArgument,
               "say what stays: --keep_last, --keep_best, --keep_every, --keep_hourly or --keep_daily"};
}

}  // namespace gcsflux::cli
