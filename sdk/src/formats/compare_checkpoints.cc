#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "formats/bytes/boxes.h"
#include "formats/bytes/element_value.h"
#include "formats/bytes/format_error.h"
#include "formats/tensor_sequence.h"

namespace gcsflux {
namespace {

using ByName = std::map<std::string_view, const StoredTensor*>;  // Null if it is refused.

Result<ByName> TensorsByName(const StoredCheckpoint& checkpoint) {
  ByName by_name;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    if (by_name.emplace(tensor.name, &tensor).second) continue;
    return Error{ErrorCode::kInvalidArgument,
                 checkpoint.name() + ": two tensors have the name " + internal::Shown(tensor.name)};
  }
  for (const RefusedValue& value : checkpoint.refused()) by_name.emplace(value.name, nullptr);
  return by_name;
}

std::string Described(const TensorLayout& layout) {
  return std::string(DTypeName(layout.dtype)) + " " + internal::ShownShape(layout.shape);
}

// Why two tensors cannot be compared by elements. Nothing if they can.
std::optional<TensorDifference> DifferenceOfForm(std::string_view name, const StoredTensor* a, const StoredTensor* b) {
  if (a == nullptr || b == nullptr) {
    return TensorDifference{.name = std::string(name), .kind = "not read", .why = "it is not read"};
  }
  if (a->layout.dtype == b->layout.dtype && a->layout.shape == b->layout.shape) return std::nullopt;
  return TensorDifference{.name = std::string(name),
                          .kind = "type or shape",
                          .why = Described(a->layout) + ", and " + Described(b->layout)};
}

void AddElements(DType dtype, std::span<const std::byte> a, std::span<const std::byte> b, TensorDifference& sum) {
  if (std::memcmp(a.data(), b.data(), a.size()) == 0) return;
  const std::size_t element = ElementBytes(dtype);
  for (std::size_t at = 0; at < a.size(); at += element) {
    if (std::memcmp(a.data() + at, b.data() + at, element) == 0) continue;
    ++sum.different_elements;
    const auto difference = static_cast<double>(internal::ElementDifference(dtype, a.data() + at, b.data() + at));
    if (!std::isnan(sum.largest) && !(difference <= sum.largest)) sum.largest = difference;
  }
}

Result<TensorDifference> CompareElements(const StoredTensor& tensor, internal::TensorSequence& first,
                                         internal::TensorSequence& second, std::size_t index) {
  TensorDifference sum{.name = tensor.name};
  for (std::uint64_t at = 0;;) {
    const auto a = first.Read(index, at);
    if (!a) return a.error();
    const auto b = second.Read(index, at);
    if (!b) return b.error();
    const std::size_t size = std::min(a->size(), b->size());
    if (size == 0) return sum;
    AddElements(tensor.layout.dtype, a->first(size), b->first(size), sum);
    at += size;
  }
}

}  // namespace

Result<std::vector<TensorDifference>> CompareCheckpoints(
    const StoredCheckpoint& first, const StoredCheckpoint& second,
    const std::function<void(const TensorDifference&)>& on_difference) {
  const auto of_first = TensorsByName(first);
  if (!of_first) return of_first.error();
  const auto of_second = TensorsByName(second);
  if (!of_second) return of_second.error();
  std::vector<TensorDifference> differences;
  const auto tell = [&](TensorDifference difference) {
    if (on_difference) on_difference(difference);
    differences.push_back(std::move(difference));
  };
  std::vector<StoredTensor> in_first;
  std::vector<StoredTensor> in_second;
  for (const auto& [name, tensor] : *of_first) {
    const auto other = of_second->find(name);
    if (other == of_second->end()) {
      tell({.name = std::string(name), .kind = "only in the first"});
    } else if (auto difference = DifferenceOfForm(name, tensor, other->second)) {
      tell(*std::move(difference));
    } else {
      in_first.push_back(*tensor);
      in_second.push_back(*other->second);
    }
  }
  for (const auto& [name, tensor] : *of_second) {
    if (!of_first->contains(name)) tell({.name = std::string(name), .kind = "only in the second"});
  }
  const std::vector<StoredTensor> common = in_first;
  internal::TensorSequence first_bytes(first, std::move(in_first));
  internal::TensorSequence second_bytes(second, std::move(in_second));
  for (std::size_t i = 0; i < common.size(); ++i) {
    auto difference = CompareElements(common[i], first_bytes, second_bytes, i);
    if (!difference) return difference.error();
    if (difference->different_elements > 0) tell(*std::move(difference));
  }
  return differences;
}

}  // namespace gcsflux
