#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/result.h"

// The steps of a training run as values: docs/checkpoints.md.
namespace gcsflux {

/// Steps have numbers from 0 to this one, so that their names sort as their numbers do.
inline constexpr std::int64_t kMaxStep = 99'999'999;

/// One file of a step: one generation of one object.
struct StepFile {
  std::string name = {};        ///< Below the run's prefix: "step-00000042/9f1c...-state.pt".
  std::uint64_t size = 0;       ///< In bytes.
  std::int64_t generation = 0;  ///< Another generation of the name is not this file.
  std::uint32_t crc32c = 0;     ///< Of all bytes of the file.

  friend bool operator==(const StepFile&, const StepFile&) = default;
};

/// A step of a training run. Its manifest, an object that is written last, makes files a step.
struct Step {
  std::int64_t number = 0;                           ///< From 0 to kMaxStep.
  std::string run = {};                              ///< The random id of the run that saved it.
  std::chrono::system_clock::time_point time = {};   ///< By the clock of the machine that saved it; milliseconds.
  std::vector<StepFile> files = {};                  ///< Empty if the manifest is missing or cannot be read.
  std::map<std::string, double> metrics = {};        ///< Finite numbers.
  std::map<std::string, std::string> metadata = {};  ///< The caller's own.
  std::int64_t generation = 0;  ///< Of the manifest. 0 if there is none: the step's save or removal was not finished.
  /// The size of the files that the manifest names. If the manifest is missing or unreadable, of the files in the
  /// step's folder.
  std::uint64_t bytes = 0;
  std::optional<Error> problem = {};  ///< Why the step is not whole, or is not removed. Absent if all is well.
  /// Of Latest() and LoadLatest(): the newer steps that are not whole, the newest first: their numbers and problems.
  std::vector<Step> skipped = {};
};

/// A step stays if one rule keeps it. Without any rule all stay.
struct KeepRules {
  std::optional<std::size_t> last = {};  ///< Keeps this many of the newest steps.
  /// Keeps this many of the best steps by `metric`. If two steps are equal, the newer one is better. Steps without the
  /// metric have no rank. If no step has it, all steps stay, because its name may be wrong.
  std::optional<std::size_t> best = {};
  std::string metric = {};                 ///< The key in Step::metrics that `best` compares.
  bool is_highest_best = false;            ///< By default the lowest value is the best.
  std::optional<std::int64_t> every = {};  ///< Keeps steps that are multiples of it; at least 1.
  bool hourly = false;                     ///< Keeps the newest step of each hour, UTC.
  bool daily = false;                      ///< Keeps the newest step of each day, UTC.
};

/// What a removal of steps or files did.
struct RemovalReport {
  std::vector<std::int64_t> removed = {};  ///< Steps. With `is_dry_run`: those that would be removed.
  /// Numbers of steps that the rules do not keep, and why they, or some of their files, still exist.
  std::vector<Step> not_removed = {};
  std::uint64_t files = 0;  ///< Files in no manifest that were removed, or would be.
  std::uint64_t bytes = 0;  ///< Of these files.
  std::uint64_t young = 0;  ///< Files that were left because they are younger than the least age.
  /// Objects in folders of steps that were left, because no manifest names them and their names are not of this
  /// library's form.
  std::uint64_t foreign = 0;
  std::optional<Error> leftovers = {};  ///< Of a save: why files of crashed saves still exist.
};

}  // namespace gcsflux
