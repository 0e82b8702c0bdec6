#include "distributed/training_group.h"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace examples {

TrainingGroup::TrainingGroup(const gcsflux::RunEnvironment& run, const c10::intrusive_ptr<c10d::Store>& store)
    : world_size_(run.world_size) {
  if (world_size_ == 1) return;
  auto options = c10d::ProcessGroupGloo::Options::create();
  const bool is_here = !run.store_file.empty() || run.master_host == "127.0.0.1";
  options->devices.push_back(is_here ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                     : c10d::ProcessGroupGloo::createDefaultDevice());
  group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>("training", store),
                                                       run.rank, world_size_, options);
}
TrainingGroup::~TrainingGroup() = default;

void TrainingGroup::AddUp(at::Tensor& values) {
  if (!group_) return;
  std::vector<at::Tensor> tensors = {values};
  group_->allreduce(tensors)->wait();
}

}  // namespace examples
