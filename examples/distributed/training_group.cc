#include "distributed/training_group.h"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "gcsflux/checkpoints/sharded_checkpoints.h"

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

at::Tensor TrainingGroup::Join(const at::Tensor& slice, std::int64_t size) {
  if (!group_) return slice;
  // Gloo wants slices of one length.
  const gcsflux::RowsOfRank longest = gcsflux::DivideRows(size, {.rank = 0, .world_size = world_size_});
  at::Tensor padded = at::zeros({longest.end}, slice.options());
  padded.slice(0, 0, slice.size(0)).copy_(slice);
  std::vector<at::Tensor> inputs = {padded};
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int rank = 0; rank < world_size_; ++rank) outputs[0].push_back(at::empty_like(padded));
  group_->allgather(outputs, inputs)->wait();
  for (int rank = 0; rank < world_size_; ++rank) {
    const gcsflux::RowsOfRank rows = gcsflux::DivideRows(size, {.rank = rank, .world_size = world_size_});
    at::Tensor& part = outputs[0][static_cast<std::size_t>(rank)];
    part = part.slice(0, 0, rows.end - rows.begin);
  }
  return at::cat(outputs[0]);
}

}  // namespace examples
