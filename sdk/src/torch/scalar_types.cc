#include "torch/scalar_types.h"

#include <algorithm>
#include <array>

namespace gcsflux {
namespace {

struct TypeRow {
  DType dtype;
  c10::ScalarType type;
};

constexpr auto kTypes = std::to_array<TypeRow>({
    {DType::kBool, c10::ScalarType::Bool},
    {DType::kUint8, c10::ScalarType::Byte},
    {DType::kInt8, c10::ScalarType::Char},
    {DType::kInt16, c10::ScalarType::Short},
    {DType::kInt32, c10::ScalarType::Int},
    {DType::kInt64, c10::ScalarType::Long},
    {DType::kFloat16, c10::ScalarType::Half},
    {DType::kBfloat16, c10::ScalarType::BFloat16},
    {DType::kFloat32, c10::ScalarType::Float},
    {DType::kFloat64, c10::ScalarType::Double},
    {DType::kComplex32, c10::ScalarType::ComplexHalf},
    {DType::kComplex64, c10::ScalarType::ComplexFloat},
    {DType::kComplex128, c10::ScalarType::ComplexDouble},
});

}  // namespace

std::optional<c10::ScalarType> ScalarTypeOf(DType dtype) {
  const auto* const row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& one) { return one.dtype == dtype; });
  return row == kTypes.end() ? std::nullopt : std::optional(row->type);
}

std::optional<DType> DTypeOf(c10::ScalarType type) {
  const auto* const row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& one) { return one.type == type; });
  return row == kTypes.end() ? std::nullopt : std::optional(row->dtype);
}

}  // namespace gcsflux
