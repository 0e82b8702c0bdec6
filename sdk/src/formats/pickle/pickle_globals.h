#pragma once

#include <cstdint>
#include <string_view>

#include "gcsflux/formats.h"

namespace gcsflux::internal {

/// The meaning of a global's name. Names are compared, never resolved.
enum class Meaning : std::uint8_t {
  kUnknown,
  kOrderedDict,
  kCounter,
  kDefaultDict,
  kSet,
  kFrozenSet,
  kBytes,
  kByteArray,
  kComplex,
  kEncode,
  kSize,
  kDevice,
  kDType,
  kStorageClass,
  kUntypedStorage,
  kPlainTensorClass,  ///< torch.Tensor, torch.nn.Parameter
  kRebuildTensor,
  kRebuildTensorV2,
  kRebuildTensorV3,
  kRebuildParameter,
  kRebuildParameterWithState,
  kRebuildFromTypeV2,
  kNumpyScalar,
  kNumpyReconstruct,
  kNumpyArray,
  kNumpyFromBuffer,
  kNumpyDtype,
  kScriptList,      ///< torch.jit._pickle.build_...list
  kRestoreTypeTag,  ///< torch.jit._pickle.restore_type_tag
  kScriptClass,     ///< __torch__. ...
};

struct GlobalMeaning {
  Meaning meaning = Meaning::kUnknown;
  DType dtype = DType::kUint8;  ///< Of kDType and kStorageClass.
};

/// The allow list: any other name is kUnknown.
GlobalMeaning MeaningOf(std::string_view name);

/// The usual name of the values that a refused global makes: "sparse tensors". Empty if it is unknown.
std::string_view KindOfRefused(std::string_view name);

/// torch.save's name of a type's storage class: "FloatStorage". Empty if there is none.
std::string_view StorageClassOf(DType dtype);

}  // namespace gcsflux::internal
