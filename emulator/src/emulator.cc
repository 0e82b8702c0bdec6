#include "gcsflux/emulator/emulator.h"

#include <chrono>
#include <random>

#include "server/http_server.h"
#include "server/service.h"
#include "store/resumable_sessions.h"
#include "store/store.h"

namespace gcsflux::emulator {

namespace {

Clock SystemClock() {
  return [] { return std::chrono::system_clock::now(); };
}

}  // namespace

class Emulator::Running {
 public:
  explicit Running(const EmulatorOptions& options)
      : store_(SystemClock()),
        sessions_(SystemClock(), std::random_device()()),
        service_(store_, sessions_),
        server_(options.host, options.port, service_),
        endpoint_("http://" + server_.authority()) {}

  void Stop() { server_.Stop(); }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  Store store_;
  ResumableSessions sessions_;
  Service service_;
  HttpServer server_;
  const std::string endpoint_;
};

Emulator::Emulator(EmulatorOptions options) : running_(std::make_unique<Running>(options)) {}
Emulator::~Emulator() = default;
const std::string& Emulator::endpoint() const { return running_->endpoint(); }
void Emulator::Stop() { running_->Stop(); }

}  // namespace gcsflux::emulator
