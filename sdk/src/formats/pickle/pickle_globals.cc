#include "formats/pickle/pickle_globals.h"

#include <algorithm>
#include <array>

#include "formats/bytes/tensor_layout.h"

namespace gcsflux::internal {
namespace {

struct GlobalRow {
  std::string_view name;
  Meaning meaning;
};

constexpr auto kGlobals = std::to_array<GlobalRow>({
    {"__builtin__.bytearray", Meaning::kByteArray},
    {"__builtin__.bytes", Meaning::kBytes},
    {"__builtin__.complex", Meaning::kComplex},
    {"__builtin__.frozenset", Meaning::kFrozenSet},
    {"__builtin__.set", Meaning::kSet},
    {"_codecs.encode", Meaning::kEncode},
    {"builtins.bytearray", Meaning::kByteArray},
    {"builtins.bytes", Meaning::kBytes},
    {"builtins.complex", Meaning::kComplex},
    {"builtins.frozenset", Meaning::kFrozenSet},
    {"builtins.set", Meaning::kSet},
    {"collections.Counter", Meaning::kCounter},
    {"collections.OrderedDict", Meaning::kOrderedDict},
    {"collections.defaultdict", Meaning::kDefaultDict},
    {"numpy._core.multiarray._reconstruct", Meaning::kNumpyReconstruct},
    {"numpy._core.multiarray.scalar", Meaning::kNumpyScalar},
    {"numpy._core.numeric._frombuffer", Meaning::kNumpyFromBuffer},
    {"numpy.core.multiarray._reconstruct", Meaning::kNumpyReconstruct},
    {"numpy.core.multiarray.scalar", Meaning::kNumpyScalar},
    {"numpy.core.numeric._frombuffer", Meaning::kNumpyFromBuffer},
    {"numpy.dtype", Meaning::kNumpyDtype},
    {"numpy.ndarray", Meaning::kNumpyArray},
    {"torch.Size", Meaning::kSize},
    {"torch.Tensor", Meaning::kPlainTensorClass},
    {"torch._tensor.Tensor", Meaning::kPlainTensorClass},
    {"torch._tensor._rebuild_from_type_v2", Meaning::kRebuildFromTypeV2},
    {"torch._utils._rebuild_parameter", Meaning::kRebuildParameter},
    {"torch._utils._rebuild_parameter_with_state", Meaning::kRebuildParameterWithState},
    {"torch._utils._rebuild_tensor", Meaning::kRebuildTensor},
    {"torch._utils._rebuild_tensor_v2", Meaning::kRebuildTensorV2},
    {"torch._utils._rebuild_tensor_v3", Meaning::kRebuildTensorV3},
    {"torch.device", Meaning::kDevice},
    {"torch.jit._pickle.build_boollist", Meaning::kScriptList},
    {"torch.jit._pickle.build_doublelist", Meaning::kScriptList},
    {"torch.jit._pickle.build_intlist", Meaning::kScriptList},
    {"torch.jit._pickle.build_tensorlist", Meaning::kScriptList},
    {"torch.jit._pickle.restore_type_tag", Meaning::kRestoreTypeTag},
    {"torch.nn.parameter.Parameter", Meaning::kPlainTensorClass},
    {"torch.storage.UntypedStorage", Meaning::kUntypedStorage},
    {"torch.storage._UntypedStorage", Meaning::kUntypedStorage},
});
static_assert(std::is_sorted(kGlobals.begin(), kGlobals.end(),
                             [](const GlobalRow& a, const GlobalRow& b) { return a.name < b.name; }));

struct StorageRow {
  std::string_view name;
  DType dtype;
};

constexpr auto kStorages = std::to_array<StorageRow>({
    {"BoolStorage", DType::kBool},
    {"ByteStorage", DType::kUint8},
    {"CharStorage", DType::kInt8},
    {"ShortStorage", DType::kInt16},
    {"IntStorage", DType::kInt32},
    {"LongStorage", DType::kInt64},
    {"HalfStorage", DType::kFloat16},
    {"BFloat16Storage", DType::kBfloat16},
    {"FloatStorage", DType::kFloat32},
    {"DoubleStorage", DType::kFloat64},
    {"ComplexHalfStorage", DType::kComplex32},
    {"ComplexFloatStorage", DType::kComplex64},
    {"ComplexDoubleStorage", DType::kComplex128},
});

GlobalMeaning TorchMeaning(std::string_view name) {
  if (const auto dtype = DTypeFromName(name)) return {Meaning::kDType, *dtype};
  for (const StorageRow& row : kStorages) {
    if (row.name == name) return {Meaning::kStorageClass, row.dtype};
  }
  return {};
}

}  // namespace

GlobalMeaning MeaningOf(std::string_view name) {
  const auto* const row = std::lower_bound(kGlobals.begin(), kGlobals.end(), name,
                                           [](const GlobalRow& a, std::string_view b) { return a.name < b; });
  if (row != kGlobals.end() && row->name == name) return {row->meaning};
  if (name.starts_with("__torch__.")) return {Meaning::kScriptClass};
  constexpr std::string_view kTorch = "torch.";
  return name.starts_with(kTorch) ? TorchMeaning(name.substr(kTorch.size())) : GlobalMeaning{};
}

std::string_view KindOfRefused(std::string_view name) {
  if (name == "torch._utils._rebuild_sparse_tensor" || name == "torch._utils._rebuild_sparse_csr_tensor") {
    return "sparse tensors";
  }
  if (name == "torch._utils._rebuild_nested_tensor") return "nested tensors";
  if (name == "torch._utils._rebuild_qtensor") return "quantised tensors";
  if (name == "torch._utils._rebuild_meta_tensor_no_storage") return "meta tensors, which have no bytes";
  if (name == "torch._utils._rebuild_wrapper_subclass") return "tensors of another class";
  if (name.starts_with("torch.Q")) return "quantised tensors";
  return name.ends_with(".DTensor") ? "tensors that are spread over processes" : "";
}

std::string_view StorageClassOf(DType dtype) {
  for (const StorageRow& row : kStorages) {
    if (row.dtype == dtype) return row.name;
  }
  return {};
}

}  // namespace gcsflux::internal
