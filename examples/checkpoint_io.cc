// Saves, lists, loads and removes the checkpoints of a small training, in an emulator inside this process.
#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include <iostream>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "standard_streams.h"

namespace {

using gcsflux::CheckpointRun;
using gcsflux::RunState;

constexpr const char* kRun = "gs://my-bucket/runs/7";

double TrainOneStep(torch::nn::Linear& model, torch::optim::Adam& adam) {
  adam.zero_grad();
  const at::Tensor loss = model->forward(at::randn({16, 4})).pow(2).mean();
  loss.backward();
  adam.step();
  return loss.item<double>();
}

// Goes on at the newest step, and saves every tenth one beside the training.
void Train(const gcsflux::Client& client, std::int64_t steps) {
  torch::nn::Linear model(4, 2);
  torch::optim::Adam adam(model->parameters());
  CheckpointRun run(client, kRun, {.save_every = 10, .keep = gcsflux::KeepRules{.last = 2}});
  RunState state{.modules = {{"model", model.get()}},
                 .optimizers = {{"optimizer", &adam}},
                 .generators = {{"cpu", at::detail::getDefaultCPUGenerator()}}};
  const auto latest = run.LoadLatest(state);
  std::int64_t step = latest ? latest->stored.manifest.step : 0;
  std::cout << (latest ? "resumed at step " + std::to_string(step) : "began at step 0") << "\n";
  while (step < steps) {
    const double loss = TrainOneStep(model, adam);
    if (run.ShouldSave(++step)) run.SaveAsync(step, state, {.metrics = {{"loss", loss}}});
  }
}

int Run() {
  const gcsflux::emulator::Emulator emulator;
  const auto client = gcsflux::ValueOrThrow(gcsflux::Client::Create({.endpoint = emulator.endpoint()}));
  gcsflux::ValueOrThrow(client.InsertBucket("my-bucket"));
  Train(client, 30);
  Train(client, 50);
  CheckpointRun run(client, kRun);
  for (const gcsflux::ListedStep& step : run.List()) {
    std::cout << "step " << step.step << ", " << step.bytes << " bytes, " << (step.problem ? "damaged" : "whole")
              << "\n";
  }
  run.Remove(40);
  std::cout << run.List().size() << " step is left\n";
  return 0;
}

}  // namespace

int main() {
  examples::OpenClosedDescriptors();
  try {
    return examples::FlushOutput("checkpoint_io", Run());
  } catch (const gcsflux::StorageError& failure) {
    std::cerr << std::string(failure.what()) + "\n";
    return 1;
  }
}
