// Sends requests with random changes to an emulator in this process. No request may end it, stop it, or be answered
// with an internal error. The seed and --clients=1 repeat a run.

#include <gflags/gflags.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "emulator/mutated/mutate.h"
#include "emulator/mutated/valid_requests.h"
#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"

DEFINE_uint64(requests, 5000, "How many requests to send. Raise it for a campaign.");
DEFINE_uint64(seed, 0, "What the changes are drawn from; 0 draws it too. Set it to see a run again.");
DEFINE_uint32(clients, 4, "How many send at the same time. 1 for a run that is the same each time.");

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kBetweenResets = 500;

class Campaign {
 public:
  explicit Campaign(std::uint64_t seed) : seed_(seed) {}

  // Whether all went well.
  bool Run() {
    std::vector<std::thread> clients;
    for (unsigned i = 0; i < FLAGS_clients; ++i) clients.emplace_back([this, i] { Send(seed_ + i); });
    for (std::thread& client : clients) client.join();
    for (const auto& [status, count] : statuses_) std::cout << "  " << status << ": " << count << "\n";
    return !has_failed_ && Serves();
  }

 private:
  void Send(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> requests;
    for (std::uint64_t i = 0; i < FLAGS_requests / FLAGS_clients && !has_failed_; ++i) {
      if (i % kBetweenResets == 0) requests = Prepare();
      const std::string request = Mutate(requests, random);
      const std::string answer = Exchange(request);
      Judge(request, answer);
      if (request.find("_emulator") == std::string::npos || request.starts_with("GET")) continue;
      emulator_.Reset();  // Its effect may delay or break later requests.
      requests = Prepare();
    }
  }

  // The objects of the valid requests.
  std::vector<std::string> Prepare() {
    RawConnection connection(emulator_.endpoint());
    connection.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})");
    connection.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=old", "", "old bytes");
    const std::string session =
        connection.Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=resumable&name=r").Header("location");
    const std::string upload = connection.Call("POST", "/bucket/parts?uploads").body;
    const std::size_t id = upload.find("<UploadId>") + 10;
    return ValidRequests(session.empty() ? "/upload/none" : session, upload.substr(std::min(id, upload.size()), 32));
  }

  // All bytes that are received.
  std::string Exchange(const std::string& request) {
    RawConnection connection(emulator_.endpoint());
    connection.Send(request);
    connection.FinishSending();
    return connection.ReceiveAll();
  }

  void Judge(const std::string& request, const std::string& answer) {
    const std::string status = answer.empty() ? "none" : answer.substr(0, answer.find('\r')).substr(0, 12);
    const bool is_http = answer.empty() || status.starts_with("HTTP/1.1 ");
    const bool is_right = is_http && !status.ends_with(" 500");
    const std::scoped_lock lock(mutex_);
    ++statuses_[status];
    if (is_right) return;
    has_failed_ = true;
    std::cout << "wrong answer to:\n" << request << "\n---\n" << answer.substr(0, 1000) << "\n";
  }

  bool Serves() {
    emulator_.Reset();
    const std::vector<std::string> requests = Prepare();
    RawConnection connection(emulator_.endpoint());
    const bool serves = connection.Call("GET", "/storage/v1/b/bucket/o/old?alt=media").body == "old bytes";
    if (!serves) std::cout << "it serves no more\n";
    return serves;
  }

  const std::uint64_t seed_;
  Emulator emulator_{{.client_patience = std::chrono::milliseconds(500)}};
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;  // guards the members below
  std::map<std::string, std::uint64_t> statuses_;
};

}  // namespace
}  // namespace gcsflux::emulator

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  const std::uint64_t seed = FLAGS_seed != 0 ? FLAGS_seed : std::random_device()();
  std::cout << FLAGS_requests << " mutated requests, --seed=" << seed << " --clients=" << FLAGS_clients << std::endl;
  return gcsflux::emulator::Campaign(seed).Run() ? 0 : 1;
}
