// Reads an object of 100 KiB over HTTP, with the traffic layer or without it: count_traffic_layer bare|layered REQUESTS
//
// Nothing is loaded and the profile is off. One thread, so that a tool that counts instructions (callgrind) counts the
// same ones every time; tests/emulator/entrance/traffic_layer_cost.sh compares the two.

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "entrance/traffic_layer.h"
#include "faults/engine/fault_engine.h"
#include "gcsflux/emulator/clock.h"
#include "network/http_codec.h"
#include "network/socket_stream.h"
#include "quotas/quota_middleware.h"
#include "retry_tests/instruction_middleware.h"
#include "retry_tests/retry_test_middleware.h"
#include "retry_tests/retry_tests.h"
#include "service/service.h"
#include "shaping/shaping_middleware.h"
#include "store/buckets/store.h"
#include "store/bytes/body.h"
#include "store/uploads/resumable_sessions.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kObjectBytes = std::size_t{100} << 10;
constexpr std::string_view kRead =
    "GET /storage/v1/b/bucket/o/images%2Ftrain%2F0001234.png?alt=media HTTP/1.1\r\nHost: 127.0.0.1:12345\r\n"
    "x-goog-api-client: gl-cpp/2.0 gccl-invocation-id/6b29fc40-ca47-1067-b31d-00dd010662da "
    "gccl-attempt-count/1\r\n\r\n";

class Bare final : public RequestHandler {
 public:
  explicit Bare(Service& service) : service_(service) {}
  HttpResponse Handle(const HttpRequest& request, RequestBody& body) override {
    RequestSubject subject;
    return service_.Handle(request, body, subject);
  }

 private:
  Service& service_;
};

class Layered final : public RequestHandler {
 public:
  explicit Layered(TrafficLayer& traffic) : traffic_(traffic) {}
  HttpResponse Handle(const HttpRequest& request, RequestBody& body) override {
    RequestSubject subject;
    return traffic_.Handle(request, body, subject);
  }

 private:
  TrafficLayer& traffic_;
};

// As in an emulator, without the parts that observe requests and without the listener.
struct Fixture {
  Fixture() {
    (void)store.InsertBucket({.name = "bucket"});
    const auto body = std::make_shared<const Body>(Rope(std::string(kObjectBytes, 'x')));
    (void)(*store.FindBucket("bucket"))->InsertObject({.name = "images/train/0001234.png", .body = body}, {});
  }

  Clock clock;
  Store store{[this] { return clock.Now(); }};
  ResumableSessions sessions{[this] { return clock.Now(); }, 1};
  Service service{store, sessions, {}};
  AnswerMemory memory{clock, std::chrono::minutes(5)};
  FirstAnswers answers{service, memory};
  RetryTests retry_tests{1};
  RetryTestMiddleware retry_test_middleware{retry_tests};
  InstructionMiddleware instruction_middleware;
  FaultEngine faults{clock, {}};
  LiveQuotas quotas{{}, clock};
  QuotaMiddleware quota_middleware{quotas};
  LiveShaping shaping{{}};
  ShapingMiddleware shaping_middleware{shaping};
  TrafficLayer traffic{
      answers,
      sessions,
      clock,
      {&retry_test_middleware, &instruction_middleware, &faults, &quota_middleware, &shaping_middleware}};
};

// False if an answer has the wrong length.
bool ReadObjects(RequestHandler& handler, int requests) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) != 0) return false;
  const int room = 4 << 20;  // a whole answer: it is written before it is read
  ::setsockopt(sockets[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  SocketStream stream(sockets[1], nullptr, std::chrono::seconds(60));
  std::string head;
  std::string received(kObjectBytes + 4096, '\0');
  bool is_good = true;
  for (int i = 0; i < requests && is_good; ++i) {
    is_good = ::write(sockets[0], kRead.data(), kRead.size()) == static_cast<ssize_t>(kRead.size()) &&
              stream.ReadHead(head) == SocketStream::HeadOutcome::kComplete &&
              AnswerRequest(head, stream, handler) == Ending::kInOrder;
    std::size_t size = 0;
    while (is_good && size < kObjectBytes) {
      const ssize_t more = ::recv(sockets[0], received.data(), received.size(), 0);
      is_good = more > 0;
      size += static_cast<std::size_t>(std::max<ssize_t>(more, 0));
    }
  }
  ::close(sockets[0]);
  return is_good;
}

}  // namespace
}  // namespace gcsflux::emulator

int main(int argc, char** argv) {
  using namespace gcsflux::emulator;
  const std::string_view mode = argc == 3 ? argv[1] : "";
  if (mode != "bare" && mode != "layered") {
    std::fputs("usage: count_traffic_layer bare|layered REQUESTS\n", stderr);
    return 2;
  }
  Fixture fixture;
  Bare bare(fixture.service);
  Layered layered(fixture.traffic);
  RequestHandler& handler = mode == "bare" ? static_cast<RequestHandler&>(bare) : layered;
  return ReadObjects(handler, std::atoi(argv[2])) ? 0 : 1;
}
