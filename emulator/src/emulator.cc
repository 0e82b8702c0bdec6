#include "gcsflux/emulator/emulator.h"

#include <malloc.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "admin/admin_endpoints.h"
#include "admin/clock_json.h"
#include "base/interruption.h"
#include "entrance/foreign_pages.h"
#include "entrance/traffic_layer.h"
#include "entrance/traffic_recorder.h"
#include "faults/engine/fault_engine.h"
#include "faults/plan/render_plan.h"
#include "identity/config.h"
#include "identity/hmac_keys.h"
#include "identity/identity.h"
#include "journal/journal.h"
#include "journal/request_counters.h"
#include "json/json_writer.h"
#include "json_api/batch_endpoint.h"
#include "network/http_server.h"
#include "network/tls_context.h"
#include "persistence/data_directory.h"
#include "persistence/hmac_key_record.h"
#include "quotas/live_quotas.h"
#include "quotas/quota_middleware.h"
#include "quotas/quota_settings.h"
#include "retry_tests/instruction_middleware.h"
#include "retry_tests/retry_test_endpoints.h"
#include "retry_tests/retry_test_middleware.h"
#include "service/idempotency_settings.h"
#include "service/service.h"
#include "shaping/live_shaping.h"
#include "shaping/shaping_middleware.h"
#include "shaping/shaping_settings.h"
#include "store/buckets/seed_bucket.h"
#include "store/buckets/store.h"
#include "store/uploads/resumable_sessions.h"
#include "virtual/virtual_buckets.h"

namespace gcsflux::emulator {

class Emulator::Running {
 public:
  explicit Running(EmulatorOptions options)
      : data_(OpenData(options)),
        store_([this] { return clock_.Now(); }, options.default_soft_delete, log()),
        sessions_([this] { return clock_.Now(); }, std::random_device()(), log()),
        virtual_buckets_(Load(options)),
        journal_(CheckJournalSize(options.journal_size)),
        fault_plan_(options.faults),
        faults_(clock_, fault_plan_),
        service_(store_, sessions_, Access(options)),
        idempotency_window_(options.idempotency_window),
        answers_(clock_, idempotency_window_),
        shaping_(options.shaping),
        quotas_(options.quotas, clock_),
        traffic_(
            first_answers_, sessions_, clock_,
            {&retry_test_middleware_, &instruction_middleware_, &faults_, &quota_middleware_, &shaping_middleware_}),
        recorder_(traffic_, clock_, journal_, counters_),
        batches_(recorder_, clock_),
        retry_test_endpoints_(retry_tests_, batches_),
        admin_({.clock = clock_,
                .store = store_,
                .journal = journal_,
                .counters = counters_,
                .reset = [this] { return Reset(); },
                .take_snapshot = [this](const std::string& name) { return TakeSnapshot(name); },
                .restore_snapshot = [this](const std::string& name) { return RestoreSnapshot(name); },
                .count_connections = [this] { return server_.CountConnections(); },
                .seed_root = std::move(options.seed_root),
                .token = std::move(options.admin_token),
                .documents = {ShapingDocument(), QuotasDocument(), FaultsDocument(), ScheduleDocument(),
                              IdempotencyDocument(), MachineDocument(), ClockDocument(), SnapshotsDocument()}},
               retry_test_endpoints_),
        foreign_pages_(std::move(options.allowed_hosts), admin_),
        server_({.host = std::move(options.host),
                 .port = options.port,
                 .tls = Tls(options),
                 .patience = options.client_patience,
                 .log = std::move(options.log)},
                foreign_pages_),
        endpoint_(Scheme(options) + "://" + server_.authority()) {
    if (data_ != nullptr) data_->Open();
    shaping_.OnWriteLimit([this](std::size_t slice) { server_.LimitUnderWay(slice); });
  }

  ~Running() {
    Stop();
    if (data_ != nullptr) data_->Close();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void Stop() {
    is_stopping_ = true;
    traffic_.Stop();
    answers_.Stop();
    server_.Stop();
  }
  Outcome<void> Reset() {
    const StoreUsage stored = store_.usage();
    if (auto cleared = store_.Clear(); !cleared) return cleared;
    virtual_buckets_.AddTo(store_);
    if (auto cleared = sessions_.Clear(); !cleared) return cleared;
    if (auto cleared = hmac_keys_.Clear(); !cleared) return cleared;
    ForgetSnapshots();
    answers_.Clear();
    answers_.SetWindow(idempotency_window_);
    journal_.Reset();
    counters_.Reset();
    retry_tests_.Clear();
    faults_.Load(fault_plan_);
    machine_.SetPreempted(false);
    shaping_.Reset();
    quotas_.Reset();
    GiveMemoryBack(stored);
    return {};
  }
  Outcome<void> TakeSnapshot(const std::string& name) {
    auto snapshot = std::make_shared<const Snapshot>(Snapshot{store_.Capture(), sessions_.Capture()});
    const std::scoped_lock lock(snapshots_mutex_);
    if (snapshots_.size() == kMostSnapshots && !snapshots_.contains(name)) {
      return Fail(FailureKind::kInvalid, "There are 100 snapshots already; POST /_emulator/reset forgets them.");
    }
    snapshots_[name].swap(snapshot);
    return {};
  }
  Outcome<void> RestoreSnapshot(const std::string& name) {
    std::shared_ptr<const Snapshot> snapshot;
    {
      const std::scoped_lock lock(snapshots_mutex_);
      const auto found = snapshots_.find(name);
      if (found == snapshots_.end()) return Fail(FailureKind::kNotFound, "There is no snapshot '" + name + "'.");
      snapshot = found->second;
    }
    if (auto restored = store_.Restore(snapshot->store); !restored) return restored;
    answers_.Clear();  // They are of requests that now have no effect.
    return sessions_.Restore(snapshot->sessions, store_);
  }
  std::size_t Seed(const SeedOptions& options) {
    const Interruptible interruptible(is_stopping_);
    const auto seeded = SeedBucket(store_, {options.bucket, options.directory, options.prefix});
    if (!seeded) throw std::runtime_error(seeded.error().message);
    return seeded->objects;
  }

  [[nodiscard]] Clock& clock() { return clock_; }
  [[nodiscard]] std::vector<RequestRecord> journal() const { return journal_.Read({}, clock_.Now()); }
  [[nodiscard]] Counters counters() const { return counters_.Read(); }
  [[nodiscard]] Faults& faults() { return faults_; }
  [[nodiscard]] RetryTestControl& retry_tests() { return retry_tests_; }
  [[nodiscard]] ShapingControl& shaping() { return shaping_; }
  [[nodiscard]] QuotaControl& quotas() { return quotas_; }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  static constexpr std::size_t kMostSnapshots = 100;

  struct Snapshot {
    StoreSnapshot store = {};
    std::vector<SessionSnapshot> sessions = {};
  };

  void ForgetSnapshots() {
    std::map<std::string, std::shared_ptr<const Snapshot>> forgotten;  // destroyed after the lock is released
    const std::scoped_lock lock(snapshots_mutex_);
    snapshots_.swap(forgotten);
  }
  // The allocator keeps memory that many threads have freed. Returning it takes time by the size of the whole process's
  // heap, so it is done only for large amounts.
  static void GiveMemoryBack(const StoreUsage& freed) {
    constexpr std::uint64_t kWorthIt = std::uint64_t{8} << 20;
    constexpr std::uint64_t kBesideItsBytes = 400;
    if (freed.bytes + freed.objects * kBesideItsBytes >= kWorthIt) ::malloc_trim(0);
  }
  static std::size_t CheckJournalSize(std::size_t size) {
    if (size <= kMaxJournalSize) return size;
    throw std::invalid_argument("journal_size " + std::to_string(size) + " is above " +
                                std::to_string(kMaxJournalSize));
  }
  static std::unique_ptr<DataDirectory> OpenData(const EmulatorOptions& options) {
    if (options.data_dir.empty()) return nullptr;
    return std::make_unique<DataDirectory>(options.data_dir, options.data_sync);
  }
  [[nodiscard]] ChangeLog* log() const { return data_ != nullptr ? &data_->log() : nullptr; }
  // Fills the store, before there are requests.
  VirtualBuckets Load(const EmulatorOptions& options) {
    if (data_ != nullptr) {
      const std::string report = RenderReport(data_->Load(store_, sessions_, hmac_keys_));
      if (!report.empty() && options.log) options.log(report);
    }
    for (const VirtualBucket& bucket : options.virtual_buckets) {
      if (!store_.FindBucket(bucket.name)) continue;
      throw std::invalid_argument("virtual bucket " + bucket.name + ": the data directory has a bucket of this name");
    }
    return {options.virtual_buckets, store_};
  }
  static std::string Scheme(const EmulatorOptions& options) { return options.tls ? "https" : "http"; }
  static std::optional<TlsContext> Tls(const EmulatorOptions& options) {
    if (!options.tls) return std::nullopt;
    return TlsContext(*options.tls);
  }
  ServiceAccess Access(const EmulatorOptions& options) {
    if (!options.auth) {
      return {.scheme = Scheme(options),
              .hmac_keys = &hmac_keys_,
              .machine = &machine_,
              .default_project = options.project};
    }
    identity_.emplace(ParseIdentityConfig(options.auth->config), [this] { return clock_.Now(); });
    return {.scheme = Scheme(options),
            .identity = &*identity_,
            .hmac_keys = &hmac_keys_,
            .machine = &machine_,
            .is_required = options.auth->is_required,
            .default_project = options.project};
  }

  AdminDocument ShapingDocument() {
    return {.path = "shaping",
            .show = [this] { return RenderShaping(shaping_.Get()); },
            .replace = [this](std::string_view json) { shaping_.Set(ParseShaping(json)); }};
  }
  AdminDocument FaultsDocument() {
    return {.path = "faults",
            .show = [this] { return RenderPlan(faults_.Plan(), faults_.Counts()); },
            .replace = [this](std::string_view json) { faults_.Load(ParseFaultPlan(json)); },
            .clear = [this] { faults_.Clear(); }};
  }
  AdminDocument ScheduleDocument() {
    return {.path = "faults/schedule", .show = [this] { return RenderSchedule(faults_.Schedule()); }};
  }
  AdminDocument IdempotencyDocument() {
    return {.path = "idempotency",
            .show = [this] { return RenderIdempotencyWindow(answers_.window()); },
            .replace = [this](std::string_view json) { answers_.SetWindow(ParseIdempotencyWindow(json)); },
            .clear = [this] { answers_.SetWindow(idempotency_window_); }};
  }
  AdminDocument MachineDocument() {
    return {.path = "machine",
            .show = [this] { return RenderMachine(machine_); },
            .replace = [this](std::string_view json) { machine_.SetPreempted(ParseMachine(json)); },
            .clear = [this] { machine_.SetPreempted(false); }};
  }
  AdminDocument ClockDocument() {
    return {.path = "clock",
            .show = [this] { return RenderClock(clock_.Now()); },
            .replace = [this](std::string_view json) { clock_.Advance(ParseAdvance(json, clock_.Now())); }};
  }
  AdminDocument SnapshotsDocument() {
    return {.path = "snapshots", .show = [this] {
              JsonWriter json;
              json.BeginObject();
              json.Key("names");
              json.BeginArray();
              const std::scoped_lock lock(snapshots_mutex_);
              for (const auto& [name, snapshot] : snapshots_) json.String(name);
              json.EndArray();
              json.EndObject();
              return json.Take();
            }};
  }
  AdminDocument QuotasDocument() {
    return {.path = "quotas",
            .show = [this] { return RenderQuotas(quotas_.Get(), quotas_.counters()); },
            .replace = [this](std::string_view json) { quotas_.Set(ParseQuotas(json)); }};
  }

  std::atomic<bool> is_stopping_ = false;
  Clock clock_;
  const std::unique_ptr<DataDirectory> data_;  // null if all of it is in memory
  Store store_;
  ResumableSessions sessions_;
  HmacKeys hmac_keys_{[this] { return clock_.Now(); }, RecordsIn(log())};
  const VirtualBuckets virtual_buckets_;
  std::mutex snapshots_mutex_;  // guards snapshots_
  std::map<std::string, std::shared_ptr<const Snapshot>> snapshots_;
  Journal journal_;
  RequestCounters counters_;
  const FaultPlan fault_plan_;  // the plan at the start
  FaultEngine faults_;
  std::optional<Identity> identity_;
  Machine machine_;
  Service service_;
  const std::chrono::nanoseconds idempotency_window_;  // the value at the start
  AnswerMemory answers_;
  FirstAnswers first_answers_{service_, answers_};
  LiveShaping shaping_;
  LiveQuotas quotas_;
  QuotaMiddleware quota_middleware_{quotas_};
  ShapingMiddleware shaping_middleware_{shaping_};
  RetryTests retry_tests_{std::random_device()()};
  RetryTestMiddleware retry_test_middleware_{retry_tests_};
  InstructionMiddleware instruction_middleware_;
  TrafficLayer traffic_;
  TrafficRecorder recorder_;
  BatchEndpoint batches_;
  RetryTestEndpoints retry_test_endpoints_;
  AdminEndpoints admin_;
  ForeignPages foreign_pages_;
  HttpServer server_;
  const std::string endpoint_;
};

Emulator::Emulator(EmulatorOptions options) : running_(std::make_unique<Running>(std::move(options))) {}
Emulator::~Emulator() = default;
Clock& Emulator::clock() { return running_->clock(); }
std::vector<RequestRecord> Emulator::journal() const { return running_->journal(); }
Counters Emulator::counters() const { return running_->counters(); }
Faults& Emulator::faults() { return running_->faults(); }
RetryTestControl& Emulator::retry_tests() { return running_->retry_tests(); }
ShapingControl& Emulator::shaping() { return running_->shaping(); }
QuotaControl& Emulator::quotas() { return running_->quotas(); }
void Emulator::Reset() {
  if (const auto reset = running_->Reset(); !reset) throw std::runtime_error(reset.error().message);
}
std::size_t Emulator::Seed(const SeedOptions& options) { return running_->Seed(options); }
const std::string& Emulator::endpoint() const { return running_->endpoint(); }
void Emulator::Stop() { running_->Stop(); }

}  // namespace gcsflux::emulator
