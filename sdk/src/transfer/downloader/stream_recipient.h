#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/process/mutex.h"
#include "base/process/owner_process.h"
#include "gcsflux/download.h"
#include "loop/loop_condition.h"
#include "transfer/downloader/fetch_ahead.h"

namespace gcsflux::internal {

/// A stream of objects, delivered in the order asked for. Next() is for one thread at a time. Made by
/// OwnedByProcess().
class StreamRecipient {
 public:
  StreamRecipient(std::shared_ptr<const DownloaderCore> core, std::vector<DownloadSource> sources, DeliveryOrder order,
                  std::stop_token stop);
  ~StreamRecipient();
  StreamRecipient(const StreamRecipient&) = delete;
  StreamRecipient& operator=(const StreamRecipient&) = delete;

  Result<std::optional<DownloadedObject>> Next();

 private:
  Result<void> Begin();
  Error End(Error error);
  void Close();
  void OnStop();
  void OnArrival(std::vector<ArrivedObject> objects);
  void OnEnd(const Error& error);
  void Add(std::size_t turn, ArrivedObject&& arrived) REQUIRES(mutex_);
  Result<ArrivedObject> Await();
  [[nodiscard]] bool IsNextReady() const REQUIRES(mutex_) {
    return !ready_.empty() && ready_.begin()->first == delivered_;
  }

  const std::vector<DownloadSource> sources_;
  const DeliveryOrder order_;
  const std::stop_token stop_;
  const OwnerProcess owner_;
  bool has_begun_ = false;
  std::optional<Error> ended_ = {};

  Mutex mutex_;
  LoopCondition arrivals_;
  // By the turn of their delivery.
  using Ready = std::map<std::size_t, ArrivedObject>;
  Ready ready_ GUARDED_BY(mutex_);
  std::vector<Ready::node_type> spare_ GUARDED_BY(mutex_);  // Nodes to use again: as many as were ready at once.
  std::optional<Error> failure_ GUARDED_BY(mutex_) = {};    // No more objects arrive.
  std::size_t arrived_ GUARDED_BY(mutex_) = 0;
  std::size_t delivered_ = 0;  // Next() writes it, under mutex_.

  FetchAhead ahead_;                                                  // It uses the members above.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;  // Last: it is destroyed first.
};

}  // namespace gcsflux::internal
