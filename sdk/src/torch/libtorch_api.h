#pragma once

#include <torch/optim/optimizer.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

/// The differences between libtorch's versions. Only this file depends on them.
namespace gcsflux {

/// The states of an optimizer's parameters, by the parameters' addresses.
using OptimizerStates = std::remove_reference_t<decltype(std::declval<torch::optim::Optimizer&>().state())>;

/// A parameter's key in its optimizer's states: libtorch 1.13 has addresses as text, 2.x as pointers.
template <class Key = OptimizerStates::key_type>
Key StateKeyOf(const at::Tensor& parameter) {
  void* const address = parameter.unsafeGetTensorImpl();
  if constexpr (std::is_same_v<Key, std::string>) {
    std::ostringstream text;
    text << address;
    return text.str();
  } else {
    return address;
  }
}

}  // namespace gcsflux
