#pragma once

#include <nanobind/nanobind.h>

#include <type_traits>
#include <utility>

#include "gcsflux/result.h"

// Errors of the SDK as exceptions of Python.
namespace gcsflux::python {

/// Makes the classes of exceptions. Once, when the module is imported.
void BindErrors(nanobind::module_& module);

/// The exception that an error becomes, with its code, outcome, status and reason.
nanobind::object ToException(const Error& error);

/// Raises it.
[[noreturn]] void Raise(const Error& error);

template <class T>
T ValueOf(Result<T> result) {
  if (!result) Raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace gcsflux::python
