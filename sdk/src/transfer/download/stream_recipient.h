#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/fork.h"
#include "client/delivery_budget.h"
#include "gcsflux/download.h"
#include "transfer/download/download_run.h"
#include "transfer/download/downloader_core.h"

namespace gcsflux::internal {

/// A stream of objects: fetches ahead what the client's budget admits, and delivers in the order asked for. Next() is
/// for one thread at a time. In a child of fork() it is not destroyed: see DeleteInOwnProcess.
class StreamRecipient : public Recipient {
 public:
  StreamRecipient(std::shared_ptr<const DownloaderCore> core, std::vector<DownloadSource> sources,
                  const DownloadStreamOptions& options);
  ~StreamRecipient() override;
  StreamRecipient(const StreamRecipient&) = delete;
  StreamRecipient& operator=(const StreamRecipient&) = delete;

  Result<std::optional<DownloadedObject>> Next();

  bool Admit(const UnitPlan& unit) override;
  Result<std::vector<Destination>> DestinationsOf(const UnitPlan& unit) override;
  void OnUnit(const UnitPlan& unit, std::span<Destination> destinations,
              std::vector<std::optional<Error>> errors) override;

 private:
  void Begin();
  Error End(Error error);
  void Close();
  void OnStop();
  std::optional<DownloadedObject> Await();
  [[nodiscard]] std::uint64_t ChargeOf(std::size_t index) const;

  const std::shared_ptr<const DownloaderCore> core_;
  const std::vector<DownloadSource> sources_;
  const DownloadStreamOptions options_;
  DeliveryBudget& budget_;
  std::shared_ptr<DownloadRun> run_;
  DeliveryBudget::Consumer consumer_ = 0;
  const ProcessMark made_in_;
  bool has_begun_ = false;
  std::size_t delivered_ = 0;
  std::optional<Error> ended_ = {};

  std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::size_t, DownloadedObject> ready_;  // By when it is its turn. Guarded by mutex_, as what follows.
  std::size_t arrived_ = 0;

  std::optional<std::stop_callback<std::function<void()>>> on_stop_;  // Last: it ends first.
};

}  // namespace gcsflux::internal
