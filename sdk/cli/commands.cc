#include "cli/commands.h"

#include <gflags/gflags.h>

// The flags of several commands. Others are beside the command that has them.
DEFINE_bool(recursive, false, "Everything under the prefix or in the directory, not one level or one object.");
DEFINE_bool(human, false, "Sizes for people: 12.3 MB.");
DEFINE_bool(json, false, "One JSON object per line.");
DEFINE_bool(dry_run, false, "Print what would be done, and do nothing.");
DEFINE_bool(force, false, "");
DEFINE_bool(progress, true, "Show the progress if standard error is a terminal.");
DEFINE_bool(quiet, false, "No progress and no summary: only errors.");

namespace gcsflux::cli {

std::span<const Command* const> Commands() {
  static constexpr const Command* kCommands[] = {
      &kMb,          &kRb,         &kLs,         &kDu,           &kCp,       &kMv,         &kSync,       &kCat,
      &kStat,        &kSetmeta,    &kHash,       &kCompose,      &kSign,     &kRm,         &kRun,        &kClean,
      &kDoctor,      &kInspect,    &kVerify,     &kConvert,      &kDiff,     &kListSteps,  &kRemoveStep, &kPrune,
      &kIndexShards, &kListShards, &kPackShards, &kUnpackShards, &kListRuns, &kCompareRuns};
  return kCommands;
}

std::span<const CommandFlag> CommonFlags() {
  static constexpr CommandFlag kFlags[] = {
      {"quiet", "q"},
      {"progress"},
      {"", "m", "Accepted: transfers are always parallel."},
      {"max_concurrency", "",
       "Requests at a time. By default, many small objects have as many as are fastest, up to 256."},
      {"project", "", "Project for making and listing buckets."},
      {"endpoint", "", "Another service, or an emulator: http(s)://host[:port]."},
      {"credentials", "", "adc, anonymous, or a credential file."}};
  return kFlags;
}

}  // namespace gcsflux::cli
