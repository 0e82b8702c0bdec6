#pragma once

#include <exception>
#include <string>

namespace gcsflux {

/// What an exception says without the stack trace that libtorch puts below its own.
inline std::string FirstLine(const std::exception& failure) {
  const std::string text = failure.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace gcsflux
