#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "gcsflux/client.h"
#include "gcsflux/object.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Where the event files and the record of a run are. For one thread.
class EventDestination {
 public:
  virtual ~EventDestination() = default;
  /// Adds whole records behind those of earlier calls. If it fails, readers see all of them or none.
  virtual Result<void> Append(std::string_view records, const std::stop_token& stop) = 0;
  /// Replaces the record of the run.
  virtual Result<void> StoreRunRecord(const std::string& json, const std::stop_token& stop) = 0;
};

/// A prefix of a bucket: "runs/7/", or empty.
std::unique_ptr<EventDestination> EventsInBucket(Client client, ObjectName directory, CallOptions call);
/// A directory, which is made if it is not there.
std::unique_ptr<EventDestination> EventsInDirectory(Client client, std::string directory);

/// "events.out.tfevents.1763625600.host.17.000003". TensorBoard takes files with "tfevents" in their names, in bytewise
/// order. The names of one process differ in `number` alone: a later file has a higher one.
class EventFileNames {
 public:
  explicit EventFileNames(const Client& client);
  [[nodiscard]] std::string At(int number) const;

 private:
  std::string begin_;
};

/// The record that each file begins with.
std::string FirstRecord(const Client& client);

}  // namespace gcsflux::internal
