#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gcsflux/emulator/clock.h"

namespace gcsflux::emulator {

struct EmulatorOptions {
  /// Address to listen on. Anything but loopback exposes an unauthenticated store to the network.
  std::string host = "127.0.0.1";
  /// 0 takes any free port: see Emulator::endpoint().
  std::uint16_t port = 0;
};

/// Google Cloud Storage in this process, in memory, for tests and for work without a network.
///
/// It serves as soon as the constructor returns and until Stop() or destruction. Thread-safe.
class Emulator {
 public:
  /// Throws std::system_error where the address cannot be listened on.
  explicit Emulator(EmulatorOptions options = {});
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  /// "http://127.0.0.1:PORT", for STORAGE_EMULATOR_HOST or a client's endpoint.
  [[nodiscard]] const std::string& endpoint() const;

  /// Where all of its time comes from.
  [[nodiscard]] Clock& clock();

  /// Ends every connection and waits for the threads; nothing is served afterwards. May be called again.
  void Stop();

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

}  // namespace gcsflux::emulator
