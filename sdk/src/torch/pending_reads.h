#pragma once

#include <ATen/core/Tensor.h>

#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/torch/state_dict.h"
#include "torch/tensor_bytes.h"

// A load in three steps: all tensors that it needs are read together, then compared, and then the state changes.
namespace gcsflux {

/// The tensors of a load, and what it does when they are read. Pinned: reads have addresses within it.
class PendingReads {
 public:
  explicit PendingReads(LoadMode mode) : mode_(mode) {}
  PendingReads(const PendingReads&) = delete;
  PendingReads& operator=(const PendingReads&) = delete;

  /// With kInPlace, a tensor may be read directly into the memory of the state.
  [[nodiscard]] LoadMode mode() const { return mode_; }

  /// `into` is a plain tensor of the stored type and shape.
  void Read(StoredTensor stored, const at::Tensor& into) {
    stored_.push_back(std::move(stored));
    tensors_.push_back(into);
    reads_.push_back({&stored_.back(), BytesOf(into)});
  }
  /// Called when all is read, before anything changes. May throw.
  void Check(std::function<void()> check) { checks_.push_back(std::move(check)); }
  /// Called after all checks. Cannot fail.
  void Change(std::function<void()> change) { changes_.push_back(std::move(change)); }

  [[nodiscard]] std::span<const TensorRead> reads() const { return reads_; }
  void RunChecks() const {
    for (const auto& check : checks_) check();
  }
  void RunChanges() const {
    for (const auto& change : changes_) change();
  }

 private:
  const LoadMode mode_;
  std::deque<StoredTensor> stored_;
  std::vector<at::Tensor> tensors_;  // They own the memory of the reads.
  std::vector<TensorRead> reads_;
  std::vector<std::function<void()>> checks_;
  std::vector<std::function<void()>> changes_;
};

/// Compares the module with the checkpoint, as LoadModule() does, and adds the reads of its tensors and the copies into
/// the module.
void AddModule(PendingReads& reads, torch::nn::Module& module, const StoredCheckpoint& checkpoint,
               const LoadModuleOptions& options);

/// The same for LoadOptimizer(). With kInPlace, the optimizer's state is dropped at once, so that the new one has room.
void AddOptimizer(PendingReads& reads, torch::optim::Optimizer& optimizer, const StoredCheckpoint& checkpoint,
                  std::string_view name);

}  // namespace gcsflux
