#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "gcsflux.h"
#include "gcsflux/result.h"

struct gcsflux_error {
  gcsflux::Error error;
  std::string remedy;
};

namespace gcsflux::c {

/// The error as C callers see it. If there is no memory for it, one that says so.
gcsflux_error* Wrap(const Error& error) noexcept;

/// For what a caller can do wrong in C alone.
inline Error Misused(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

/// Runs the body of a call: returns a Result<void>. No exception leaves the library.
template <class Body>
gcsflux_error* Call(const Body& body) noexcept {
  try {
    const Result<void> done = body();
    return done ? nullptr : Wrap(done.error());
  } catch (const std::bad_alloc&) {
    return Wrap({ErrorCode::kLocalIo, "out of memory"});
  } catch (const std::exception& error) {
    return Wrap({ErrorCode::kLocalIo, error.what()});
  }
}

}  // namespace gcsflux::c
