#include "gcsflux/emulator/emulator.h"

#include <random>

#include "server/http_server.h"
#include "server/service.h"
#include "store/resumable_sessions.h"
#include "store/store.h"

namespace gcsflux::emulator {

class Emulator::Running {
 public:
  explicit Running(const EmulatorOptions& options)
      : store_([this] { return clock_.Now(); }),
        sessions_([this] { return clock_.Now(); }, std::random_device()()),
        service_(store_, sessions_),
        server_(options.host, options.port, service_),
        endpoint_("http://" + server_.authority()) {}

  void Stop() { server_.Stop(); }
  [[nodiscard]] Clock& clock() { return clock_; }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  Clock clock_;
  Store store_;
  ResumableSessions sessions_;
  Service service_;
  HttpServer server_;
  const std::string endpoint_;
};

Emulator::Emulator(EmulatorOptions options) : running_(std::make_unique<Running>(options)) {}
Emulator::~Emulator() = default;
Clock& Emulator::clock() { return running_->clock(); }
const std::string& Emulator::endpoint() const { return running_->endpoint(); }
void Emulator::Stop() { running_->Stop(); }

}  // namespace gcsflux::emulator
