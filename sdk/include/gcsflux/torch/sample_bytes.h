#pragma once

#include <torch/types.h>

#include <concepts>
#include <cstdint>
#include <ranges>
#include <type_traits>

namespace gcsflux::internal {

/// The memory that a sample takes: see DatasetOptions::max_decoded_bytes.
template <class Sample>
std::uint64_t BytesOfSample(const Sample& sample) {
  if constexpr (requires {
                  { SampleBytes(sample) } -> std::convertible_to<std::uint64_t>;
                }) {
    return SampleBytes(sample);
  } else if constexpr (std::is_base_of_v<at::Tensor, Sample>) {
    // A view keeps the memory of the whole.
    return sizeof(sample) + (sample.defined() && sample.has_storage() ? sample.storage().nbytes() : 0);
  } else if constexpr (requires {
                         typename Sample::DataType;
                         typename Sample::TargetType;
                       }) {  // torch::data::Example
    if constexpr (!std::is_void_v<typename Sample::TargetType>) {
      return BytesOfSample(sample.data) + BytesOfSample(sample.target);
    } else {
      return BytesOfSample(sample.data);
    }
  } else if constexpr (requires {
                         sample.first;
                         sample.second;
                       }) {
    return BytesOfSample(sample.first) + BytesOfSample(sample.second);
  } else if constexpr (std::ranges::sized_range<const Sample>) {
    using Element = std::remove_cvref_t<std::ranges::range_reference_t<const Sample>>;
    // A range of itself would have no end.
    if constexpr (std::is_arithmetic_v<Element> || std::same_as<Element, Sample>) {
      return sizeof(sample) + std::ranges::size(sample) * sizeof(Element);
    } else {
      std::uint64_t bytes = sizeof(sample);
      for (const auto& element : sample) bytes += BytesOfSample(element);
      return bytes;
    }
  } else {
    return sizeof(sample);
  }
}

}  // namespace gcsflux::internal
