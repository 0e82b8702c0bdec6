// Saves, lists, loads and removes the checkpoints of a small training, in an emulator inside this process.
#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include <iostream>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "standard_streams.h"

namespace {

constexpr const char* kRun = "gs://my-bucket/runs/7";

// Goes on at the newest step, and saves every tenth one beside the training.
void Train(const gcsflux::Client& client, std::int64_t steps) {
  torch::nn::Linear model(4, 2);
  torch::optim::Adam adam(model->parameters());
  gcsflux::CheckpointRun run(client, kRun, {.save_every = 10, .keep = gcsflux::KeepRules{.last = 2}});
  gcsflux::RunState state{.modules = {{"model", model.get()}},
                          .optimizers = {{"optimizer", &adam}},
                          .generators = {{"cpu", at::detail::getDefaultCPUGenerator()}}};
  const auto latest = run.LoadLatest(state);
  std::int64_t step = latest ? latest->number : 0;
  std::cout << (latest ? "resumed at step " : "began at step ") << step << "\n";
  while (step < steps) {
    adam.zero_grad();
    const at::Tensor loss = model->forward(at::randn({16, 4})).pow(2).mean();
    loss.backward();
    adam.step();
    if (run.ShouldSave(++step)) run.SaveAsync(step, state, {.metrics = {{"loss", loss.item<double>()}}});
  }
}

int Run() {
  const gcsflux::emulator::Emulator emulator;
  const auto client = gcsflux::ValueOrThrow(gcsflux::Client::Create({.endpoint = emulator.endpoint()}));
  gcsflux::ValueOrThrow(client.InsertBucket("my-bucket"));
  Train(client, 30);
  Train(client, 50);  // As the next process does.
  gcsflux::CheckpointRun run(client, kRun);
  for (const gcsflux::Step& step : run.List()) {
    std::cout << "step " << step.number << ", " << step.bytes << " bytes, " << (step.problem ? "damaged" : "whole")
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
