#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace gcsflux::emulator {

/// Why the store refused, in its own terms; the server says it as HTTP.
enum class FailureKind {
  kInvalid,             ///< The request itself is wrong.
  kNotFound,            ///< No such bucket, object, generation or session.
  kTooLarge,            ///< The object would be larger than any may be.
  kConflict,            ///< The bucket's name is taken, or the bucket is not empty.
  kPreconditionFailed,  ///< An ...Match condition does not hold.
  kNotModified,         ///< An ...NotMatch condition does not hold.
  kImmutable,           ///< The object can be neither replaced, nor changed, nor deleted.
  kHeld,                ///< The object is under a hold.
  kReplaceDenied,       ///< There is an object of the name already, and the caller may not replace it.
  kKeyMissing,          ///< The object is under a customer-supplied key, and the request shows none.
  kKeyIncorrect,        ///< It shows another one.
  kKeyNotUsed,          ///< It shows a key for an object that is under none.
};

struct Failure {
  FailureKind kind = FailureKind::kInvalid;
  std::string message = {};  ///< In GCS's words where they are known.
};

template <class T>
using Outcome = tl::expected<T, Failure>;

inline tl::unexpected<Failure> Fail(FailureKind kind, std::string message) {
  return tl::unexpected<Failure>(Failure{kind, std::move(message)});
}

}  // namespace gcsflux::emulator
