#include "distributed/rank_tensors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace gcsflux::bench {
namespace {

void Fill(const at::Tensor& slice, std::uint32_t salt, const std::array<std::int64_t, 2>& offsets,
          std::int64_t columns) {
  auto* at = static_cast<std::uint32_t*>(slice.data_ptr());
  for (std::int64_t row = 0; row < slice.size(0); ++row) {
    auto place = static_cast<std::uint32_t>((offsets[0] + row) * columns + offsets[1]) + salt;
    for (std::int64_t column = 0; column < slice.size(1); ++column) *at++ = place++ * 2654435761U;
  }
}

template <class Use>
RunState Slices(const TensorsOfRanks& tensors, const RunEnvironment& run, const Use& use) {
  std::array<std::int64_t, 2> offsets{};
  std::array<std::int64_t, 2> sizes{tensors.rows, tensors.columns};
  if (tensors.dimension >= 0) {
    const auto dimension = static_cast<std::size_t>(tensors.dimension);
    const auto [begin, end] = DivideRows(sizes[dimension], run);
    offsets[dimension] = begin;
    sizes[dimension] = end - begin;
  }
  const at::Tensor memory = at::zeros({tensors.count, sizes[0], sizes[1]}, at::kFloat);
  RunState state;
  for (std::int64_t i = 0; i < tensors.count; ++i) {
    ShardedTensor slice{.local = memory[i], .shape = {}, .offsets = {}};
    use(slice.local, static_cast<std::uint32_t>(i), offsets);
    if (tensors.dimension >= 0) {
      slice.shape = {tensors.rows, tensors.columns};
      slice.offsets.assign(offsets.begin(), offsets.end());
    }
    state.slices["layer." + std::to_string(i) + ".weight"] = slice;
  }
  return state;
}

}  // namespace

RunState FilledSlices(const TensorsOfRanks& tensors, const RunEnvironment& run) {
  return Slices(tensors, run, [&](const at::Tensor& slice, std::uint32_t salt, const auto& offsets) {
    Fill(slice, salt, offsets, tensors.columns);
  });
}

RunState EmptySlices(const TensorsOfRanks& tensors, const RunEnvironment& run) {
  return Slices(tensors, run, [](const at::Tensor&, std::uint32_t, const auto&) {});
}

bool HaveSameBytes(const RunState& one, const RunState& other) {
  const auto are_same = [](const auto& a, const auto& b) {
    const at::Tensor& left = a.second.local;
    const at::Tensor& right = b.second.local;
    return a.first == b.first && left.sizes() == right.sizes() &&
           std::memcmp(left.data_ptr(), right.data_ptr(), left.nbytes()) == 0;
  };
  return std::equal(one.slices.begin(), one.slices.end(), other.slices.begin(), other.slices.end(), are_same);
}

}  // namespace gcsflux::bench
