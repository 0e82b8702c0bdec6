#pragma once

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <utility>

#include "gcsflux/torch/checkpoint_run.h"
#include "torch/bucket_test.h"
#include "torch/small_training.h"

namespace gcsflux {

/// Runs below one prefix of an emulator's bucket.
class CheckpointRunTest : public BucketTest {
 protected:
  CheckpointRunTest() { torch::manual_seed(1); }
  [[nodiscard]] CheckpointRun Run(CheckpointRunOptions options = {}) const {
    return {client_, kUri, std::move(options)};
  }

  static constexpr const char* kUri = "gs://torch-test/runs/7";
};

}  // namespace gcsflux
