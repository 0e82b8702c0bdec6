#pragma once

#include <torch/optim/optimizer.h>

#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

/// What libtorch's versions differ in. Only this file knows.
namespace gcsflux {

/// The states of an optimizer's parameters, by the addresses of these.
using OptimizerStates = std::remove_reference_t<decltype(std::declval<torch::optim::Optimizer&>().state())>;

/// A parameter's key in its optimizer's states: libtorch 1.13 has addresses as text, 2.x as they are.
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
