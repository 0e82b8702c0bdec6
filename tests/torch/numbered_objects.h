#pragma once

#include <torch/data/example.h>
#include <torch/types.h>

#include <cstddef>
#include <span>
#include <string>

#include "gcsflux/dataset.h"
#include "torch/bucket_test.h"

namespace gcsflux {

constexpr int kObjects = 50;
constexpr std::size_t kBatch = 7;
/// A dataset that composes waits at its end until its composites are deleted.
inline const DatasetOptions kDirect = {.download = {}};

inline torch::data::Example<> NumberIn(const ListedObject&, std::span<const std::byte> bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return {torch::tensor(std::stoi(text)), torch::tensor(1)};
}

/// kObjects objects; each contains its own index.
class NumberedObjectsTest : public BucketTest {
 protected:
  NumberedObjectsTest() {
    for (int i = 0; i < kObjects; ++i) Put(NameOf(i), std::to_string(i));
  }

  static std::string NameOf(int index) { return "numbers/" + std::to_string(1000 + index); }
};

}  // namespace gcsflux
