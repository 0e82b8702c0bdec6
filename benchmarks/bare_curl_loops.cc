#include "bare_curl_loops.h"

#include <curl/curl.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "crc32c.h"

namespace gcsflux::bench {
namespace {

struct Reads {
  std::atomic<int> left;
  std::atomic<int> failures = 0;
};

struct Connection {
  explicit Connection(std::size_t bytes) : body(bytes) {}
  ~Connection() { curl_easy_cleanup(easy); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  static std::size_t Write(char* data, std::size_t, std::size_t size, void* self) {
    auto& [easy, body, filled, crc32c] = *static_cast<Connection*>(self);
    if (size > body.size() - filled) return 0;
    std::memcpy(body.data() + filled, data, size);
    crc32c = ExtendCrc32c(crc32c, {data, size});
    filled += size;
    return size;
  }

  void Restart() {
    filled = 0;
    crc32c = 0;
  }

  CURL* easy = curl_easy_init();
  std::vector<char> body;
  std::size_t filled = 0;
  std::uint32_t crc32c = 0;
};

class Loop {
 public:
  Loop(const std::string& url, const std::string& ca_file, std::size_t connections, std::size_t bytes)
      : multi_(curl_multi_init()) {
    while (connections_.size() < connections) {
      auto& connection = connections_.emplace_back(std::make_unique<Connection>(bytes));
      curl_easy_setopt(connection->easy, CURLOPT_URL, url.c_str());
      curl_easy_setopt(connection->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
      if (!ca_file.empty()) curl_easy_setopt(connection->easy, CURLOPT_CAINFO, ca_file.c_str());
      curl_easy_setopt(connection->easy, CURLOPT_NOSIGNAL, 1L);
      curl_easy_setopt(connection->easy, CURLOPT_BUFFERSIZE, 64L << 10);
      curl_easy_setopt(connection->easy, CURLOPT_WRITEFUNCTION, &Connection::Write);
      curl_easy_setopt(connection->easy, CURLOPT_WRITEDATA, connection.get());
      curl_easy_setopt(connection->easy, CURLOPT_PRIVATE, connection.get());
    }
  }
  ~Loop() { curl_multi_cleanup(multi_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Run(Reads& reads, std::uint32_t crc32c) {
    for (const auto& connection : connections_) Start(*connection, reads);
    while (busy_ > 0) {
      int running = 0;
      curl_multi_perform(multi_, &running);
      int queued = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi_, &queued)) {
        Connection* connection = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &connection);
        if (message->data.result != CURLE_OK || connection->filled < connection->body.size() ||
            connection->crc32c != crc32c) {
          ++reads.failures;
        }
        curl_multi_remove_handle(multi_, connection->easy);
        --busy_;
        Start(*connection, reads);
      }
      if (busy_ > 0) curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
  }

 private:
  void Start(Connection& connection, Reads& reads) {
    if (--reads.left < 0) return;
    connection.Restart();
    curl_multi_add_handle(multi_, connection.easy);
    ++busy_;
  }

  CURLM* const multi_;
  std::vector<std::unique_ptr<Connection>> connections_;
  int busy_ = 0;
};

}  // namespace

struct BareCurlLoops::Loops : std::deque<Loop> {};

BareCurlLoops::BareCurlLoops(const std::string& url, const std::string& ca_file, std::size_t connections,
                             std::size_t bytes)
    : loops_(std::make_unique<Loops>()) {
  for (int i = 0; i < kThreads; ++i) loops_->emplace_back(url, ca_file, connections / kThreads, bytes);
}

BareCurlLoops::~BareCurlLoops() = default;

bool BareCurlLoops::Get(int reads, std::uint32_t crc32c) {
  Reads shared{.left = reads};
  {
    std::vector<std::jthread> threads;
    for (Loop& loop : *loops_) threads.emplace_back([&] { loop.Run(shared, crc32c); });
  }
  return shared.failures == 0;
}

}  // namespace gcsflux::bench
