#pragma once

#include <stdexcept>

#include "gcsflux/result.h"

namespace gcsflux {

/// A gcsflux::Error as an exception. Only gcsflux/torch/ throws: libtorch's loaders leave no other way.
///
/// A DataLoader with workers wraps it: catch torch::data::WorkerException and rethrow its `original_exception`.
class StorageError : public std::runtime_error {
 public:
  explicit StorageError(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

}  // namespace gcsflux
