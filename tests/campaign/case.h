#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/worker.h"

namespace gcsflux::campaign {

/// A phase of a campaign as a text file: all that is needed to repeat it.
struct Case {
  std::uint64_t seed = 0;
  int threads = 0;
  bool has_quotas = false;
  std::string plan = {};                ///< A file of a plan of faults; empty for the campaign's own.
  std::vector<std::string> rules = {};  ///< Names of the rules that are in force.
  std::vector<Step> steps = {};         ///< In the order in which they began.

  friend bool operator==(const Case&, const Case&) = default;
};

/// One line for each member, rule and step.
std::string FormatCase(const Case& c);
std::string FormatStep(const Step& step);
/// Throws std::invalid_argument, which names the line, if the text is damaged.
Case ParseCase(std::string_view text);

}  // namespace gcsflux::campaign
