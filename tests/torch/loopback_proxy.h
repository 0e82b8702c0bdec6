#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace gcsflux {

struct LoopbackProxyOptions {
  /// Forwards nothing before this many connections have a request at the same time, or ten seconds are over.
  int hold_until_connections = 1;
  /// May change the bytes of answers in transfer; called from several threads.
  std::function<void(std::span<char>)> edit_answer = {};
};

/// A proxy between a client and an emulator that forwards bytes, a pair of sockets for each connection.
class LoopbackProxy {
 public:
  LoopbackProxy(const std::string& target_endpoint, LoopbackProxyOptions options);
  ~LoopbackProxy();
  LoopbackProxy(const LoopbackProxy&) = delete;
  LoopbackProxy& operator=(const LoopbackProxy&) = delete;

  [[nodiscard]] std::string endpoint() const;

  /// False if a connection was forwarded because the time was over.
  [[nodiscard]] bool met_at_once() const { return met_at_once_; }

 private:
  void Accept();
  void Serve(int client);
  void WaitForOthers();
  void PassAnswers(int client, int server);
  int Track(int fd);

  LoopbackProxyOptions options_;
  int target_port_;
  int listener_;
  std::atomic<bool> met_at_once_ = true;

  std::mutex mutex_;  // Guards the members below.
  std::condition_variable arrived_;
  int with_request_ = 0;
  std::vector<int> sockets_;
  std::vector<std::jthread> connections_;
  bool is_stopping_ = false;

  std::jthread acceptor_;
};

}  // namespace gcsflux
