#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/events.h"
#include "images/job.h"

namespace examples {

/// An epoch, or what was left of it after a resumption, over all ranks.
struct EpochFigures {
  double images = 0;
  double loss = 0;  ///< Mean over the images.
  double seconds = 0;
  double wait_share = 0;  ///< The part of the time in which the network had no data to work on: mean of the ranks.
};

struct JobFigures {
  std::vector<EpochFigures> epochs = {};
  std::optional<std::int64_t> resumed_from = {};  ///< A step.
  std::string score_name = {};
  double score = 0;
  gcsflux::Counters requests = {};  ///< Of the training, over all ranks.
};

/// One line of the table; before the first epoch its head.
void PrintEpoch(std::int64_t epoch, const EpochFigures& figures);

/// Writes --summary, if it is given: a line at the end of a file, or a gs:// object.
void WriteSummary(const Job& job, const JobFigures& figures);

}  // namespace examples
