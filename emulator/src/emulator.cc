#include "gcsflux/emulator/emulator.h"

#include <chrono>

#include "server/http_server.h"
#include "server/service.h"
#include "store/store.h"

namespace gcsflux::emulator {

class Emulator::Running {
 public:
  explicit Running(const EmulatorOptions& options)
      : store_([] { return std::chrono::system_clock::now(); }),
        service_(store_),
        server_(options.host, options.port, service_),
        endpoint_("http://" + server_.authority()) {}

  void Stop() { server_.Stop(); }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  Store store_;
  Service service_;
  HttpServer server_;
  const std::string endpoint_;
};

Emulator::Emulator(EmulatorOptions options) : running_(std::make_unique<Running>(options)) {}
Emulator::~Emulator() = default;
const std::string& Emulator::endpoint() const { return running_->endpoint(); }
void Emulator::Stop() { running_->Stop(); }

}  // namespace gcsflux::emulator
