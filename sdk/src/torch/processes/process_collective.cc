#include <ATen/ATen.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <utility>
#include <vector>

#include "base/leaf_stop_callback.h"
#include "checkpoints/run_identity.h"
#include "gcsflux/torch/collective.h"
#include "torch/failure.h"
#include "torch/first_line.h"
#include "torch/processes/longest_wait.h"

namespace gcsflux {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTag = 0;
constexpr std::size_t kMostPending = 4;  // Messages that a rank has not received.
constexpr std::chrono::milliseconds kLastWords = std::chrono::seconds(1);
constexpr std::chrono::milliseconds kNoLimit = std::chrono::hours(24 * 365);
constexpr std::chrono::milliseconds kToReadOne = std::chrono::milliseconds(100);  // For a message that has arrived.
constexpr const char* kPrefix = "gcsflux";

std::string KeyOf(int rank) { return "here/" + std::to_string(rank); }

/// Ends a wait at its deadline. Gloo's own deadlines break the connections to all ranks, so that no rank could be told.
/// Thread-safe.
class Watchdog {
 public:
  Watchdog() : thread_([this](const std::stop_token& stop) { Run(stop); }) {}

  void Watch(c10d::Work& work, Clock::time_point until) {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    until_ = until;
    changed_.notify_all();
  }
  void Forget() {
    const std::lock_guard lock(mutex_);
    work_ = nullptr;
  }

 private:
  void Run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (work_ == nullptr) {
        changed_.wait(lock, stop, [this] { return work_ != nullptr; });
      } else if (Clock::now() >= until_) {
        std::exchange(work_, nullptr)->abort();
      } else {
        const auto until = until_;
        changed_.wait_until(lock, stop, until, [&] { return work_ == nullptr || until_ != until; });
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  c10d::Work* work_ = nullptr;  // Guarded by mutex_, as the next one.
  Clock::time_point until_;
  std::jthread thread_;  // Last: it ends before what it uses.
};

/// Sends messages over Gloo's connections. Each message is two of Gloo's: its length, and its bytes. Sent bytes stay in
/// memory until the other rank receives them.
class ProcessCollective final : public Collective {
 public:
  ProcessCollective(int rank, int world_size, c10::intrusive_ptr<c10d::ProcessGroupGloo> group)
      : rank_(rank), world_size_(world_size), group_(std::move(group)) {}
  // Waits a little, because the others may not have received the last messages.
  ~ProcessCollective() override {
    const Patience patience{.until = Clock::now() + kLastWords, .deadline = kLastWords, .stop = {}};
    for (auto& [to, sends] : pending_) {
      for (const auto& send : sends) static_cast<void>(Finish(*send, patience).ok());
    }
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }
  [[nodiscard]] std::string Label(int rank) const override {
    const auto index = static_cast<std::size_t>(rank);
    return index < labels_.size() ? labels_[index] : Collective::Label(rank);
  }
  void SetLabels(std::vector<std::string> labels) { labels_ = std::move(labels); }

 protected:
  Result<void> Send(int to, std::string_view message, const Patience& patience) override {
    auto& sends = pending_[to];
    for (; sends.size() >= kMostPending; sends.pop_front()) {
      if (auto finished = Finish(*sends.front(), patience); !finished.ok()) return finished;
    }
    sends.push_back(std::make_unique<PendingSend>());
    PendingSend& send = *sends.back();
    send.bytes = message;
    send.length = static_cast<std::int64_t>(message.size());
    try {
      send.works = {Begin(to, &send.length, sizeof(send.length), true),
                    Begin(to, send.bytes.data(), send.bytes.size(), true)};
    } catch (const std::exception& failure) {
      return Ended(failure);
    }
    return {};
  }

  Result<std::string> Receive(int from, const Patience& asked) override {
    Patience patience = asked;
    patience.until = std::max(asked.until, Clock::now() + kToReadOne);
    const auto begin = Take(from, sizeof(std::int64_t), patience);
    if (!begin.ok()) return begin.error();
    std::int64_t length = 0;
    std::memcpy(&length, begin->data(), sizeof(length));
    if (length <= 0) return Error{ErrorCode::kBadResponse, "sent a message of no length"};
    return Take(from, static_cast<std::size_t>(length), patience);
  }

 private:
  using WorkPointer = c10::intrusive_ptr<c10d::Work>;
  struct PendingSend {
    std::int64_t length = 0;
    std::string bytes = {};
    std::vector<WorkPointer> works = {};
  };

  WorkPointer Begin(int peer, void* bytes, std::size_t size, bool is_send) {
    std::vector<at::Tensor> tensors = {at::from_blob(bytes, {static_cast<std::int64_t>(size)}, at::kByte)};
    return is_send ? group_->send(tensors, peer, kTag) : group_->recv(tensors, peer, kTag);
  }
  Result<std::string> Take(int from, std::size_t size, const Patience& patience) {
    auto bytes = std::make_unique<std::string>(size, '\0');
    try {
      auto work = Begin(from, bytes->data(), size, false);
      if (auto waited = Wait(*work, patience); !waited.ok()) {
        // The rank may still send it. Gloo closes the connection if there is no memory for it then.
        abandoned_.emplace_back(std::move(work), std::move(bytes));
        return waited.error();
      }
    } catch (const std::exception& failure) {
      return Ended(failure);
    }
    return std::move(*bytes);
  }
  Result<void> Finish(PendingSend& send, const Patience& patience) {
    for (const WorkPointer& work : send.works) {
      if (auto waited = Wait(*work, patience); !waited.ok()) return waited;
    }
    return {};
  }

  Result<void> Wait(c10d::Work& work, const Patience& patience) {
    bool is_done = false;
    watchdog_.Watch(work, patience.until);
    try {
      const internal::LeafStopCallback<std::function<void()>> on_stop(patience.stop, [&] { work.abort(); });
      is_done = work.wait(kNoLimit);
    } catch (const std::exception& failure) {
      watchdog_.Forget();
      return Ended(failure);
    }
    watchdog_.Forget();
    if (is_done) return {};
    if (patience.stop.stop_requested()) return Error{ErrorCode::kCancelled, "was cancelled"};
    return Error{ErrorCode::kUnavailable, "gave no answer within the deadline of " +
                                              std::to_string(patience.deadline.count()) +
                                              " ms; if it does not hang, raise the deadline, else start the job again"};
  }

  static Error Ended(const std::exception& failure) {
    return {ErrorCode::kUnavailable, "has ended, or its connection is broken (" + FirstLine(failure) +
                                         "); look at its log, and start the job again"};
  }

  const int rank_;
  const int world_size_;
  const c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  std::vector<std::string> labels_;
  std::map<int, std::deque<std::unique_ptr<PendingSend>>> pending_;  // By receiver.
  std::vector<std::pair<WorkPointer, std::unique_ptr<std::string>>> abandoned_;
  Watchdog watchdog_;
};

std::vector<std::uint8_t> BytesOfText(const std::string& text) { return {text.begin(), text.end()}; }

// Rank 0 waits for each of the others, so that it can name the one that does not come, and then tells all.
void Meet(c10d::Store& store, const RunEnvironment& run, std::chrono::milliseconds deadline) {
  const auto until = Clock::now() + deadline;
  const auto wait_for = [&](const std::string& key, int rank, std::chrono::milliseconds longest) {
    try {
      store.wait({key}, std::max(longest, std::chrono::milliseconds(1)));
    } catch (const std::exception& failure) {
      throw Failure(ErrorCode::kUnreachable, "rank " + std::to_string(rank) + " did not come within " +
                                                 std::to_string(deadline.count()) + " ms (" + FirstLine(failure) +
                                                 "); look at the log of that process, or start it");
    }
  };
  store.set(KeyOf(run.rank), BytesOfText("1"));
  if (run.rank != 0) return wait_for("all", 0, deadline);
  for (int rank = 1; rank < run.world_size; ++rank) {
    wait_for(KeyOf(rank), rank, std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()));
  }
  store.set("all", BytesOfText("1"));
}

std::shared_ptr<::gloo::transport::Device> DeviceFor(const RunEnvironment& run) {
  if (const char* const interface = std::getenv("GLOO_SOCKET_IFNAME")) {
    return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
  }
  const bool is_here = !run.store_file.empty() || run.master_host == "127.0.0.1" || run.master_host == "localhost";
  return is_here ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                 : c10d::ProcessGroupGloo::createDefaultDevice();
}

std::string OwnLabel(int rank) {
  const RunIdentity identity = internal::MakeRunIdentity();
  return "rank " + std::to_string(rank) + " (" + identity.host + ", process " + std::to_string(identity.process) + ")";
}

}  // namespace

std::unique_ptr<Collective> JoinProcesses(const RunEnvironment& run, const c10::intrusive_ptr<c10d::Store>& store,
                                          std::chrono::milliseconds deadline) {
  if (run.world_size == 1) return MakeOneProcess();
  deadline = AtMostACentury(deadline);
  const auto own_keys = c10::make_intrusive<c10d::PrefixStore>(kPrefix, store);
  Meet(*own_keys, run, deadline);
  auto options = c10d::ProcessGroupGloo::Options::create(deadline);
  try {
    options->devices.push_back(DeviceFor(run));
    auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(own_keys, run.rank, run.world_size, options);
    auto joined = std::make_unique<ProcessCollective>(run.rank, run.world_size, std::move(group));
    joined->SetLabels(ValueOrThrow(joined->AllGather(OwnLabel(run.rank), {.deadline = deadline})));
    return joined;
  } catch (const StorageError&) {
    throw;
  } catch (const std::exception& failure) {
    throw Failure(ErrorCode::kUnreachable, "rank " + std::to_string(run.rank) +
                                               " cannot connect to the other ranks: " + FirstLine(failure) +
                                               "; set GLOO_SOCKET_IFNAME to the network interface that they share");
  }
}

}  // namespace gcsflux
