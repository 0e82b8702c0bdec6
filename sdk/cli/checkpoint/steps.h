#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/client.h"

// The steps of a training run, which is given by its prefix.
namespace gcsflux::cli {

/// Until the program is interrupted.
Result<CheckpointSteps> OpenRun(const Client& client, const std::string& uri);

/// Of a step's manifest.
std::string ManifestUri(const CheckpointSteps& run, std::int64_t step);

void PrintStep(const Step& step);
/// How many steps there are, how many are whole, and their bytes.
void PrintStepsTotal(const std::vector<Step>& steps);

/// The rule of "loss:min" or "accuracy:max:3". kInvalidArgument for any other text.
Result<KeepRules> ParseKeepBest(std::string_view text);

}  // namespace gcsflux::cli
