#pragma once

#include <exception>
#include <optional>
#include <thread>

namespace gcsflux::cli {

/// A thread that runs `body`. Nothing if the system starts none.
template <class Body>
std::optional<std::jthread> StartThread(const Body& body) {
  try {
    return std::jthread(body);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace gcsflux::cli
