#include "formats/safetensors/safetensors_types.h"

#include <algorithm>
#include <array>

namespace gcsflux::internal {
namespace {

constexpr auto kTypes = std::to_array<SafeType>({
    {"BOOL", 8, DType::kBool},
    {"U8", 8, DType::kUint8},
    {"I8", 8, DType::kInt8},
    {"I16", 16, DType::kInt16},
    {"I32", 32, DType::kInt32},
    {"I64", 64, DType::kInt64},
    {"F16", 16, DType::kFloat16},
    {"BF16", 16, DType::kBfloat16},
    {"F32", 32, DType::kFloat32},
    {"F64", 64, DType::kFloat64},
    {"C64", 64, DType::kComplex64},
    {"U16", 16, DType::kUint16},
    {"U32", 32, DType::kUint32},
    {"U64", 64, DType::kUint64},
    {"F8_E4M3", 8, DType::kFloat8E4m3fn},
    {"F8_E4M3FNUZ", 8, DType::kFloat8E4m3fnuz},
    {"F8_E5M2", 8, DType::kFloat8E5m2},
    {"F8_E5M2FNUZ", 8, DType::kFloat8E5m2fnuz},
    {"F8_E8M0", 8, DType::kFloat8E8m0fnu},
    {"F4", 4, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},
});

template <class Is>
const SafeType* FindIf(Is is) {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(), is);
  return found == kTypes.end() ? nullptr : found;
}

}  // namespace

const SafeType* FindSafeType(std::string_view name) {
  return FindIf([&](const SafeType& type) { return type.name == name; });
}

const SafeType* FindSafeType(DType dtype) {
  return FindIf([&](const SafeType& type) { return type.dtype == dtype; });
}

}  // namespace gcsflux::internal
