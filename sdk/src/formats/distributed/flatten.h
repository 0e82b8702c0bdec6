#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/distributed/distributed_metadata.h"
#include "formats/pickle/pickled_value.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// A tensor, or a value without tensors, in a nested dictionary. Its name joins the steps with '.'.
struct FlatValue {
  std::string name = {};
  std::vector<PathStep> steps = {};
  const pickled::Value* value = nullptr;  ///< Borrowed.

  [[nodiscard]] bool IsTensor() const { return value->As<TensorLayout>() != nullptr; }
};

/// The leaves of a dictionary, as PyTorch 2.4 and newer divides it: dictionaries are divided; lists only if they hold
/// tensors or dictionaries. Returns kInvalidArgument, with the name, if PyTorch would save it in another form, or if
/// two leaves have one name.
Result<std::vector<FlatValue>> FlattenValues(const pickled::Value& root);

}  // namespace gcsflux::internal
