#pragma once

#include <exception>
#include <string>

namespace gcsflux {

/// The text of an exception, without the stack trace that libtorch appends.
inline std::string FirstLine(const std::exception& failure) {
  const std::string text = failure.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace gcsflux
