#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <string>

#include "images/job.h"
#include "images/sample_source.h"

namespace examples {

/// What a job trains, and by what.
struct Objective {
  torch::nn::Module& network;
  /// The sum of the losses of a batch's samples.
  std::function<at::Tensor(const Sample& batch)> loss;
  /// Two sums over a batch of the test, whose quotient is the score.
  std::function<std::pair<double, double>(const Sample& batch)> score;
  std::string score_name;
  DecodeSample decode_training;
  DecodeSample decode_test;
};

/// Trains by Adam over --epochs, with the gradients of all ranks; saves checkpoints as --save_every says, and goes on
/// from the newest with --resume. Rank 0 prints a line for each epoch and the score, and writes --summary. Throws
/// gcsflux::StorageError, and std::runtime_error for a run that is there without --resume.
void Train(const Job& job, const Objective& objective, double learning_rate);

}  // namespace examples
