#include <optional>
#include <span>
#include <utility>

#include "formats/events/run_record.h"
#include "gcsflux/upload.h"
#include "tracking/event_destination.h"

namespace gcsflux::internal {
namespace {

// An object that has so many bytes is complete. Each flush sends the newest object as a whole, so more would cost
// bandwidth; fewer would make more objects, each of which a reader opens.
constexpr std::size_t kObjectBytes = std::size_t{1} << 20;

// Objects cannot be appended to. A compose of the old object and a new part would take two operations of class A, and
// would copy the whole in a bucket with soft delete or versions.
class BucketDestination : public EventDestination {
 public:
  BucketDestination(Client client, ObjectName directory, CallOptions call)
      : client_(std::move(client)), directory_(std::move(directory)), call_(std::move(call)), names_(client_) {}

  Result<void> Append(std::string_view records, const std::stop_token& stop) override {
    auto stored = Store(records, stop);
    if (stored || !IsRefusedForThisObject(stored.error())) return stored;
    BeginNext();
    return Store(records, stop);
  }

  Result<void> StoreRunRecord(const std::string& json, const std::stop_token& stop) override {
    const auto stored =
        UploadObject(client_, {directory_.bucket, directory_.name + kRunRecordName}, std::as_bytes(std::span(json)),
                     {.attributes = {.content_type = "application/json"}, .call = call_, .stop = stop});
    if (!stored) return stored.error();
    return {};
  }

 private:
  Result<void> Store(std::string_view records, const std::stop_token& stop) {
    std::string bytes = generation_ ? held_ : FirstRecord(client_);
    bytes += records;
    const auto stored = UploadObject(client_, {directory_.bucket, directory_.name + names_.At(number_)},
                                     std::as_bytes(std::span(bytes)),
                                     {.mode = generation_ ? WriteMode::kReplace : WriteMode::kCreate,
                                      .generation = generation_,
                                      .attributes = {.content_type = "application/octet-stream"},
                                      .call = call_,
                                      .stop = stop});
    if (!stored) return stored.error();
    held_ = std::move(bytes);
    generation_ = stored->generation;
    if (held_.size() >= kObjectBytes || !may_replace_) BeginNext();
    return {};
  }

  // Whether another object may be stored: this name is taken, or what is stored must not be replaced.
  bool IsRefusedForThisObject(const Error& error) {
    if (error.code == ErrorCode::kPreconditionFailed) return true;
    if (error.code != ErrorCode::kPermissionDenied || !generation_) return false;
    may_replace_ = false;
    return true;
  }

  void BeginNext() {
    ++number_;
    held_ = {};
    generation_ = std::nullopt;
  }

  const Client client_;
  const ObjectName directory_;
  const CallOptions call_;
  const EventFileNames names_;
  int number_ = 0;
  std::string held_ = {};  // The newest object, if it has a generation.
  std::optional<std::int64_t> generation_ = {};
  bool may_replace_ = true;
};

}  // namespace

std::unique_ptr<EventDestination> EventsInBucket(Client client, ObjectName directory, CallOptions call) {
  return std::make_unique<BucketDestination>(std::move(client), std::move(directory), std::move(call));
}

}  // namespace gcsflux::internal
