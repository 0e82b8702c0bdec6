#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <vector>

#include "gcsflux/run_environment.h"

namespace c10d {
class ProcessGroupGloo;
class Store;
}  // namespace c10d

namespace examples {

/// The training's own group of processes. The checkpoints have another one, so that neither waits for the other. Throws
/// what c10d throws if a process has ended.
class TrainingGroup {
 public:
  TrainingGroup(const gcsflux::RunEnvironment& run, const c10::intrusive_ptr<c10d::Store>& store);
  ~TrainingGroup();

  /// The sum over all ranks, on all of them.
  void AddUp(at::Tensor& values);

 private:
  const int world_size_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;  // None for one process.
};

}  // namespace examples
