#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "gcsflux/result.h"

namespace gcsflux {

/// A gcsflux::Error as an exception, which only gcsflux/torch/ throws: libtorch's loaders allow no other way.
///
/// A DataLoader with workers wraps it: catch torch::data::WorkerException and rethrow its `original_exception`.
class StorageError : public std::runtime_error {
 public:
  /// what() is the error's message.
  explicit StorageError(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  [[nodiscard]] const Error& error() const { return error_; }  ///< The failure with its code.

 private:
  Error error_;
};

/// The value of a result, or its error as an exception: for programs that use exceptions anyway. `auto client =
/// ValueOrThrow(Client::Create());`
template <class T>
T ValueOrThrow(Result<T> result) {
  if (!result.ok()) throw StorageError(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace gcsflux
