#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "campaign/case.h"
#include "campaign/world.h"

namespace gcsflux::campaign {

struct CampaignOptions {
  std::chrono::seconds duration{20};
  std::uint64_t seed = 1;
  WorldOptions world = {};
  std::string plan = {};     ///< A file of a plan of faults, in place of the campaign's own.
  std::string journal = {};  ///< A file that has the phase that runs, as a Case. Empty for none.
};

/// Required events that did not happen: a campaign without faults shows nothing. Empty if all happened.
std::string FindMissing(const Report& report);

/// Runs phases of at most 10 s, four at least, between which everything is deleted and checked, with one client and one
/// emulator. While required events are missing, more phases follow, up to 16: on a busy machine few reads are hedged.
/// Returns at the first violation.
Report RunCampaign(const CampaignOptions& options);

/// Repeats a phase: its steps one after the other, or, if `is_concurrent`, those of each worker on a thread of its own.
/// Ends early if `is_stopped`. Returns the violation; empty if there is none.
std::string Replay(
    const Case& c, const WorldOptions& world, bool is_concurrent,
    const std::function<bool()>& is_stopped = [] { return false; });

}  // namespace gcsflux::campaign
