#include <array>

#include "formats/bytes/tensor_layout.h"

namespace gcsflux {
namespace {

struct TypeRow {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
};

// In the order of the enumeration.
constexpr std::array<TypeRow, 21> kTypes = {{
    {DType::kBool, "bool", 1},
    {DType::kUint8, "uint8", 1},
    {DType::kInt8, "int8", 1},
    {DType::kInt16, "int16", 2},
    {DType::kInt32, "int32", 4},
    {DType::kInt64, "int64", 8},
    {DType::kFloat16, "float16", 2},
    {DType::kBfloat16, "bfloat16", 2},
    {DType::kFloat32, "float32", 4},
    {DType::kFloat64, "float64", 8},
    {DType::kComplex32, "complex32", 4},
    {DType::kComplex64, "complex64", 8},
    {DType::kComplex128, "complex128", 16},
    {DType::kUint16, "uint16", 2},
    {DType::kUint32, "uint32", 4},
    {DType::kUint64, "uint64", 8},
    {DType::kFloat8E4m3fn, "float8_e4m3fn", 1},
    {DType::kFloat8E4m3fnuz, "float8_e4m3fnuz", 1},
    {DType::kFloat8E5m2, "float8_e5m2", 1},
    {DType::kFloat8E5m2fnuz, "float8_e5m2fnuz", 1},
    {DType::kFloat8E8m0fnu, "float8_e8m0fnu", 1},
}};

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].dtype) != i) return false;
  }
  return true;
}
static_assert(IsInOrder());

}  // namespace

std::string_view DTypeName(DType dtype) { return kTypes[static_cast<std::size_t>(dtype)].name; }

std::size_t ElementBytes(DType dtype) { return kTypes[static_cast<std::size_t>(dtype)].bytes; }

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::string_view FormatName(CheckpointFormat format) {
  switch (format) {
    case CheckpointFormat::kUnknown: break;
    case CheckpointFormat::kTorchFile: return "a file of torch.save";
    case CheckpointFormat::kLibtorchArchive: return "an archive of libtorch or TorchScript";
    case CheckpointFormat::kOtherZip: return "a zip archive";
    case CheckpointFormat::kSafetensors: return "safetensors";
    case CheckpointFormat::kSafetensorsIndex: return "an index of safetensors";
    case CheckpointFormat::kDistributed: return "a distributed checkpoint of PyTorch";
    case CheckpointFormat::kOldTorchFile: return "a file of torch.save's old format";
  }
  return "no checkpoint";
}

}  // namespace gcsflux
