#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace gcsflux::emulator {

/// Why the store refused, in its own terms. The APIs say it in theirs.
enum class FailureKind {
  kInvalid,             ///< The request itself is wrong.
  kNotFound,            ///< No such bucket, object, generation or session.
  kTooLarge,            ///< The object would exceed the largest size.
  kConflict,            ///< The bucket's name is taken, or the bucket is not empty.
  kPreconditionFailed,  ///< An ...Match condition is not met.
  kNotModified,         ///< An ...NotMatch condition is not met.
  kImmutable,           ///< The object cannot be replaced, changed or deleted.
  kHeld,                ///< The object is under a hold.
  kReplaceDenied,       ///< An object has the name already, and the caller may not replace it.
  kKeyMissing,          ///< The object is under a customer-supplied key, and the request has none.
  kKeyIncorrect,        ///< The request has another key.
  kKeyNotUsed,          ///< The request has a key, and the object is under none.
  kUnavailable,         ///< The change cannot be written to disk; it did not happen.
};

struct Failure {
  FailureKind kind = FailureKind::kInvalid;
  std::string message = {};  ///< In GCS's words if they are known.
};

template <class T>
using Outcome = tl::expected<T, Failure>;

inline tl::unexpected<Failure> Fail(FailureKind kind, std::string message) {
  return tl::unexpected<Failure>(Failure{kind, std::move(message)});
}

}  // namespace gcsflux::emulator
