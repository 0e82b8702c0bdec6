#include "transfer/composition/composer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/composite_name.h"
#include "client/client_core.h"
#include "retry/operation.h"
#include "retry/operation_kind.h"
#include "transfer/composition/slice_writer.h"
#include "transfer/read/pinned_object.h"

namespace gcsflux::internal {
namespace {

using Clock = DueTasks::Clock;

// A delete within a second of the compose is refused. It is repeated a second later, and may be throttled then.
constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kProbeSources = 2;

// Under kAuto no attempt of a compose begins later than this: what waits longer for a throttled bucket's next write, or
// for a retry, is read directly. Composes that are not throttled begin at once.
constexpr std::chrono::milliseconds kLatestCompose{250};

// After these errors no composite was made. After others, a request with a lost answer may have made it.
bool IsSurelyNotMade(const Error& error) {
  if (error.outcome != WriteOutcome::kNotStored) return false;
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kRateLimited:
    case ErrorCode::kNotFound: return true;
    default: return false;
  }
}

CallOptions ComposeCall(const Client& client, const Composer::Settings& settings) {
  CallOptions call = settings.call;
  if (settings.mode == CompositionMode::kOn) return call;
  if (!call.retry) call.retry = PolicyOf(CoreOf(client).settings().retry, TraitsOf(Operation::kComposeObjects).kind);
  call.retry->deadline = std::min(call.retry->deadline, kLatestCompose);
  return call;
}

}  // namespace

Composer::Composer(Client client, Settings settings, const std::shared_ptr<RequestSlots>& slots)
    : client_(std::move(client)),
      settings_(std::move(settings)),
      run_(FormatRun(CoreOf(client_).timing().SystemNow(), CoreOf(client_).NewInvocationId())),
      compose_call_(ComposeCall(client_, settings_)),
      live_(LiveComposites::OfProcess()),
      permits_(client_, settings_.mode, !settings_.kms_key_name.empty(), settings_.call),
      tasks_(std::make_shared<DueTasks>(slots)),
      deletes_(std::make_shared<CompositeDeletes>(client_, settings_.call, tasks_, live_, estimates_)) {}

Composer::~Composer() {
  tasks_->Drain(kPatience);
  live_.RemoveAll(CompositeName(run_, ""));
}

PlanningContext Composer::planning() {
  return {
      .now = [] { return Clock::now(); },
      .permit = [this](const std::string& bucket) { return permits_.Peek(bucket); },
      .estimate =
          [this](const std::string& bucket) {
            auto estimate = estimates_.Get(Clock::now());
            estimate.costs.writes_per_second = WritesPerSecond(bucket);
            return estimate;
          },
      .check_soon = [this](const std::string& bucket) { CheckSoon(bucket); },
      .probe_soon = [this](std::span<const DownloadSource> sources) { ProbeSoon(sources); },
      .on_direct = [this] { CountDirect(1); },
      .on_kms_key = [this](const std::string& bucket, const std::string& key) { permits_.NoteKmsKey(bucket, key); }};
}

void Composer::CheckSoon(const std::string& bucket) {
  if (!permits_.ClaimCheck(bucket)) return;
  ++finding_out_;
  tasks_->Post(Clock::now(), [this, bucket](const std::stop_token& stop) {
    (void)permits_.Await(bucket, stop);
    --finding_out_;
  });
}

void Composer::ProbeSoon(std::span<const DownloadSource> sources) {
  if (is_probing_.exchange(true)) return;
  ++finding_out_;
  const auto probed = sources.first(std::min(kProbeSources, sources.size()));
  tasks_->Post(Clock::now(), [this, copies = std::vector(probed.begin(), probed.end())](const std::stop_token& stop) {
    if (const auto made = Make(copies, stop)) {
      deletes_->Add(made->composite, Clock::now());
    } else {
      permits_.NoteFailure(copies.front().object.bucket, made.error());
    }
    is_probing_ = false;
    --finding_out_;
  });
}

void Composer::RunSoon(std::function<void()> task) {
  tasks_->Post(Clock::now(), [task = std::move(task)](const std::stop_token&) { task(); });
}

bool Composer::IsOnlyLate(const Error& error) const {
  return error.code == ErrorCode::kRateLimited && CoreOf(client_).settings().pace_throttled;
}

double Composer::WritesPerSecond(const std::string& bucket) const {
  for (const GateStatus& gate : client_.flow_control()) {
    if (gate.bucket == bucket && gate.gate_class == GateClass::kWrite && gate.is_engaged) return gate.rate;
  }
  return 0;
}

Result<ObjectMetadata> Composer::Compose(std::span<const DownloadSource> sources, const ObjectName& name,
                                         const std::stop_token& stop) const {
  constexpr const char* kFields = "size,crc32c,storageClass";
  std::vector<ComposeSource> pinned;
  for (const DownloadSource& source : sources) {
    pinned.push_back({.name = source.object.name, .generation = source.generation});
  }
  // The precondition makes it safe to retry. If an answer is lost, the retry finds the composite of the first attempt,
  // because no other process makes an object of that name.
  auto made = client_.ComposeObjects(pinned, name,
                                     {.preconditions = {.if_generation_match = 0},
                                      .encryption_key = settings_.encryption_key,
                                      .kms_key_name = settings_.kms_key_name,
                                      .fields = kFields,
                                      .call = compose_call_,
                                      .stop = stop});
  if (made || made.error().code != ErrorCode::kPreconditionFailed) return made;
  auto found = client_.GetObject(
      name, {.encryption_key = settings_.encryption_key, .fields = kFields, .call = settings_.call, .stop = stop});
  if (found) return found;
  Error error = found.error();
  error.outcome = made.error().outcome;
  return error;
}

Result<Composer::Made> Composer::Make(std::span<const DownloadSource> sources, const std::stop_token& stop) {
  Composite composite{
      .object = {sources.front().object.bucket, CompositeName(run_, CoreOf(client_).NewInvocationId())}};
  if (auto added = live_.Add(client_, composite.object); !added) return added.error();
  const std::uint64_t begun = estimates_.BeginCompose(Clock::now());
  auto metadata = Compose(sources, composite.object, stop);
  estimates_.EndCompose(begun, Clock::now(), metadata.ok());
  if (metadata) composite.generation = metadata->generation;
  live_.Settle(composite);
  if (metadata) {
    ++composites_;
    return Made{composite, *std::move(metadata)};
  }
  if (IsSurelyNotMade(metadata.error())) {
    live_.Remove(composite.object);
  } else {
    ++composites_;
    deletes_->Add(composite, Clock::now());
  }
  return metadata.error();
}

Result<void> Composer::Read(const Made& made, std::span<const DownloadSource> sources,
                            std::span<Destination> destinations, const std::stop_token& stop) {
  SliceWriter slices(sources, destinations);
  const RangeSink sink = [&](std::uint64_t, std::span<const std::byte> data) { return slices.Write(data); };
  const DownloadSource composite{made.composite.object, made.metadata.size, made.metadata.generation, std::nullopt};
  PinnedObject object(client_, composite, settings_.encryption_key, settings_.call);
  const auto read = object.ReadWhole({.sink = sink, .is_copy = true}, stop);
  if (!read) return read.error();
  estimates_.NoteRead(read->times);
  if (settings_.on_read) settings_.on_read(read->times.bytes);
  const bool is_verified = std::all_of(sources.begin(), sources.end(), [](const auto& s) { return s.crc32c; });
  if (auto checked = is_verified ? Result<void>() : object.CheckWhole(read->crc32c); !checked) return checked;
  return slices.Finish();
}

Result<void> Composer::FetchThrough(const Made& made, std::span<const DownloadSource> sources,
                                    std::span<Destination> destinations, const std::stop_token& stop) {
  permits_.NoteStorageClass(made.composite.object.bucket, made.metadata.storage_class);
  if (auto checked = CheckComposite(made.metadata, sources); !checked) return checked;
  return Read(made, sources, destinations, stop);
}

Result<void> Composer::Fetch(std::span<const DownloadSource> sources, std::span<Destination> destinations,
                             const std::stop_token& stop) {
  const auto made = Make(sources, stop);
  if (!made) return made.error();
  const auto made_at = Clock::now();
  auto fetched = FetchThrough(*made, sources, destinations, stop);
  deletes_->Add(made->composite, made_at);
  if (!fetched) return fetched;
  composed_objects_ += sources.size();
  permits_.NoteSuccess(made->composite.object.bucket);
  return {};
}

void Composer::CountFallback(std::size_t objects, const Error& error) {
  fallbacks_ += objects;
  direct_objects_ += objects;
  const MutexLock lock(mutex_);
  last_failure_ = error.message;
}

CompositionReport Composer::report() const {
  CompositionReport report{.composites = composites_,
                           .deleted = deletes_->deleted(),
                           .composed_objects = composed_objects_,
                           .direct_objects = direct_objects_,
                           .fallbacks = fallbacks_};
  permits_.AddTo(report);
  report.last_failure = deletes_->last_failure();
  if (!report.last_failure.empty()) return report;
  const MutexLock lock(mutex_);
  report.last_failure = last_failure_;
  return report;
}

}  // namespace gcsflux::internal
