#include "bare_curl_loops.h"

#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "crc32c.h"

namespace gcsflux::bench {
namespace curl_loops {  // Named, because BareCurlLoops is made of it.

using Clock = std::chrono::steady_clock;

struct Reads {
  std::atomic<int> left;
  std::atomic<int> failures = 0;
};

using Body = std::unique_ptr<char[], std::function<void(char*)>>;

Body NewBody(std::size_t bytes, ReadMemory memory) {
  if (memory != ReadMemory::kUntouched) return {new char[bytes], std::default_delete<char[]>()};
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<char*>(pages), [bytes](char* begin) { ::munmap(begin, bytes); }};
}

struct Connection {
  Connection() = default;
  ~Connection() { curl_easy_cleanup(easy); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  static std::size_t Write(char* data, std::size_t, std::size_t size, void* self) {
    auto& [easy, body, bytes, filled, crc32c] = *static_cast<Connection*>(self);
    if (size > bytes - filled) return 0;
    std::memcpy(body.get() + filled, data, size);
    crc32c = ExtendCrc32c(crc32c, {data, size});
    filled += size;
    return size;
  }

  void Restart(ReadMemory memory) {
    if (!body) body = NewBody(bytes, memory);
    filled = 0;
    crc32c = 0;
  }

  CURL* easy = curl_easy_init();
  Body body = {};
  std::size_t bytes = 0;
  std::size_t filled = 0;
  std::uint32_t crc32c = 0;
};

// The descriptors that libcurl watches, and the time of its next timer.
class Watch {
 public:
  explicit Watch(CURLM* multi) : multi_(multi) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &OnSocket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &OnTimer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  }
  ~Watch() { ::close(epoll_); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Waits for the events of libcurl and reports them to it.
  void RunOnce() {
    std::array<epoll_event, 256> events;
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), MillisecondsLeft());
    int running = 0;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const bool is_broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
      const int actions = ((event.events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                          ((event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) | (is_broken ? CURL_CSELECT_ERR : 0);
      curl_multi_socket_action(multi_, event.data.fd, actions, &running);
    }
    if (!deadline_ || Clock::now() < *deadline_) return;
    deadline_.reset();
    curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
  }

 private:
  static int OnSocket(CURL*, curl_socket_t socket, int what, void* self, void* is_known) {
    const Watch& watch = *static_cast<Watch*>(self);
    epoll_event event{};
    event.data.fd = socket;
    event.events = ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    if (what == CURL_POLL_REMOVE) {
      ::epoll_ctl(watch.epoll_, EPOLL_CTL_DEL, socket, &event);
    } else {
      ::epoll_ctl(watch.epoll_, is_known != nullptr ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
      curl_multi_assign(watch.multi_, socket, self);
    }
    return 0;
  }

  static int OnTimer(CURLM*, long milliseconds, void* self) {
    auto& deadline = static_cast<Watch*>(self)->deadline_;
    deadline.reset();
    if (milliseconds >= 0) deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
    return 0;
  }

  [[nodiscard]] int MillisecondsLeft() const {
    if (!deadline_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(left, 0));
  }

  CURLM* const multi_;
  const int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::optional<Clock::time_point> deadline_;
};

class Loop {
 public:
  Loop(const BareCurlLoopsOptions& options, std::size_t connections) : memory_(options.memory) {
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(connections));
    while (connections_.size() < connections) {
      Connection& connection = connections_.emplace_back();
      connection.bytes = options.bytes;
      curl_easy_setopt(connection.easy, CURLOPT_URL, options.url.c_str());
      curl_easy_setopt(connection.easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
      if (!options.ca_file.empty()) curl_easy_setopt(connection.easy, CURLOPT_CAINFO, options.ca_file.c_str());
      curl_easy_setopt(connection.easy, CURLOPT_NOSIGNAL, 1L);
      curl_easy_setopt(connection.easy, CURLOPT_BUFFERSIZE, 64L << 10);
      curl_easy_setopt(connection.easy, CURLOPT_WRITEFUNCTION, &Connection::Write);
      curl_easy_setopt(connection.easy, CURLOPT_WRITEDATA, &connection);
      curl_easy_setopt(connection.easy, CURLOPT_PRIVATE, &connection);
    }
  }
  ~Loop() { curl_multi_cleanup(multi_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Run(Reads& reads, std::uint32_t crc32c) {
    for (Connection& connection : connections_) Start(connection, reads);
    while (busy_ > 0) {
      watch_.RunOnce();
      int queued = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi_, &queued)) Finish(*message, reads, crc32c);
    }
  }

 private:
  void Start(Connection& connection, Reads& reads) {
    if (--reads.left < 0) return;
    connection.Restart(memory_);
    curl_multi_add_handle(multi_, connection.easy);
    ++busy_;
  }

  void Finish(const CURLMsg& message, Reads& reads, std::uint32_t crc32c) {
    const CURLcode result = message.data.result;  // removed with the handle
    Connection* connection = nullptr;
    curl_easy_getinfo(message.easy_handle, CURLINFO_PRIVATE, &connection);
    if (result != CURLE_OK || connection->filled < connection->bytes || connection->crc32c != crc32c) ++reads.failures;
    curl_multi_remove_handle(multi_, connection->easy);
    if (memory_ != ReadMemory::kReused) connection->body.reset();
    --busy_;
    Start(*connection, reads);
  }

  CURLM* const multi_ = curl_multi_init();
  Watch watch_{multi_};
  const ReadMemory memory_;
  std::deque<Connection> connections_;
  int busy_ = 0;
};

}  // namespace curl_loops

struct BareCurlLoops::Loops : std::deque<curl_loops::Loop> {};

BareCurlLoops::BareCurlLoops(const BareCurlLoopsOptions& options) : loops_(std::make_unique<Loops>()) {
  for (int i = 0; i < kThreads; ++i)
    loops_->emplace_back(options, std::max<std::size_t>(1, options.connections / kThreads));
}

BareCurlLoops::~BareCurlLoops() = default;

bool BareCurlLoops::Get(int reads, std::uint32_t crc32c) {
  curl_loops::Reads shared{.left = reads};
  {
    std::vector<std::jthread> threads;
    for (curl_loops::Loop& loop : *loops_) threads.emplace_back([&] { loop.Run(shared, crc32c); });
  }
  return shared.failures == 0;
}

}  // namespace gcsflux::bench
