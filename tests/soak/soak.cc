#include "soak/soak.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "soak/contested.h"
#include "soak/fault_mix.h"
#include "support/gzip.h"
#include "support/test_directory.h"

namespace gcsflux::soak {
namespace {

using std::chrono::milliseconds;

constexpr int kPhases = 4;
constexpr int kMostPhases = 16;
constexpr auto kBucket = "soak";
constexpr milliseconds kTick(100);
constexpr std::size_t kCommonSizes[] = {0, 1, 100, 5'000, 70'000, 1'000'000};

// A client with this refresh token receives tokens. A client without a token, or with an expired one, may do everything
// too.
constexpr auto kIdentities = R"({
  "authorized_users": [
    {"email": "soak@example.com", "client_id": "soak", "client_secret": "secret", "refresh_token": "refresh"}
  ]
})";

template <class T>
T OrViolation(Result<T> result) {
  if (!result) throw Violation(result.error().message);
  return *std::move(result);
}

// Tokens that can be fetched again, as a client does if one is refused.
Credentials MakeCredentials(const std::filesystem::path& directory, const std::string& endpoint) {
  const auto file = directory / "credentials.json";
  std::ofstream(file) << R"({"type": "authorized_user", "client_id": "soak", "client_secret": "secret",)"
                      << R"("refresh_token": "refresh", "token_uri": ")" << endpoint << R"(/token"})";
  return OrViolation(Credentials::FromFile(file));
}

ClientOptions MakeOptions(const emulator::Emulator& emulator, const std::filesystem::path& directory, int threads) {
  return {.endpoint = emulator.endpoint(),
          .credentials = MakeCredentials(directory, emulator.endpoint()),
          .project = "soak",
          .retry = RetryPolicies::All(
              {.initial_delay = milliseconds(1), .max_delay = milliseconds(20), .budget = 10}),  // faults are many
          .hedge_budget = 0.2,
          .hedge_min_stall = milliseconds(50),
          .max_idle_connections = 4 * threads};
}

// In use, as reported by malloc: its caches are returned before.
std::size_t BytesInUse() {
  malloc_trim(0);
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// After an answer is sent, other threads still free its memory. They get 10 s for it: a leak remains.
std::size_t BytesInUseAtRest(std::size_t usual) {
  constexpr int kMostTicks = 100;
  std::size_t bytes = BytesInUse();
  for (int tick = 0; tick < kMostTicks && bytes > usual + (1 << 20); ++tick) {
    std::cerr << "phase's end: " << bytes << " bytes are in use\n";
    std::this_thread::sleep_for(kTick);
    bytes = BytesInUse();
  }
  return bytes;
}

class Soak {
 public:
  explicit Soak(const SoakOptions& options) : options_(options) {}

  Report Run() {
    try {
      for (int phase = 0; phase < kPhases || (phase < kMostPhases && !FindMissing(report_).empty()); ++phase) {
        RunPhase(phase);
        emulator_.Reset();
        auto& in_use = report_.bytes_in_use;
        in_use.push_back(BytesInUseAtRest(in_use.empty() ? SIZE_MAX / 2 : in_use.front()));
        report_.client = client_.counters();
      }
    } catch (const Violation& violation) {
      report_.violation = violation.what();
    }
    report_.client = client_.counters();
    return std::move(report_);
  }

 private:
  void RunPhase(int phase) {
    OrViolation(client_.InsertBucket(kBucket));
    std::optional<Downloader> composing;
    composing.emplace(client_, DownloaderOptions{.max_concurrency = 4, .composition = CompositionMode::kOn});
    const Common common{.options = client_options_,
                        .client = client_,
                        .downloader = downloader_,
                        .composing_downloader = *composing,
                        .bucket = kBucket,
                        .objects = StoreCommonObjects(),
                        .compressed = StoreCompressedObjects(),
                        .directory = directory_.path()};
    StoreContestedObjects();
    const std::uint64_t seed = options_.seed * kMostPhases + static_cast<std::uint64_t>(phase);
    std::vector<std::unique_ptr<Worker>> workers;
    workers.reserve(options_.threads);
    for (int i = 0; i < options_.threads; ++i) {
      workers.push_back(std::make_unique<Worker>(common, i, seed * 1'000 + static_cast<std::uint64_t>(i)));
    }
    emulator_.faults().Load(MakeFaultMix(seed));
    RunWorkers(workers, phase % 2 == 0);
    AddFired(emulator_.faults().Counts(), report_.fired);
    emulator_.faults().Clear();
    for (const auto& worker : workers) {
      for (const auto& [operation, tally] : worker->tallies()) report_.operations[operation] += tally;
    }
    if (!violation_.empty()) throw Violation(violation_);
    report_.composites += composing->composition_report().composites;
    composing.reset();  // deletes the remaining ones
    AwaitRequestsThatWereLeft();
    OrViolation(CleanComposites(client_, kBucket, {.older_than = std::chrono::seconds(0)}));
    Verify(common, workers);
  }

  std::vector<Slot> StoreCommonObjects() {
    std::vector<Slot> slots;
    for (const std::string suffix : {"", kCheckedSuffix}) {
      for (const std::size_t size : kCommonSizes) slots.push_back(Store(size, "common" + suffix, false));
    }
    return slots;
  }
  std::vector<Slot> StoreCompressedObjects() {
    std::vector<Slot> slots;
    for (const std::size_t size : kCommonSizes) slots.push_back(Store(size, "compressed", true));
    return slots;
  }

  void StoreContestedObjects() {
    for (const ObjectName& object : ContestedNames(kBucket)) {
      OrViolation(UploadObject(client_, object, AsBytes(MakeContested(++common_seed_, 100'000))));
    }
  }

  Slot Store(std::size_t size, const std::string& name, bool is_compressed) {
    const Slot slot{.object = {kBucket, std::to_string(size) + " " + name}};
    Version version{.content = {{{++common_seed_, size}}}, .tag = "common"};
    ObjectAttributes attributes = AttributesOf(version);
    if (is_compressed) attributes.content_encoding = "gzip";
    const std::string content = version.content.Render();
    const auto stored = OrViolation(UploadObject(
        client_, slot.object, AsBytes(is_compressed ? testing::Gzip(content) : content), {.attributes = attributes}));
    version.generation = stored.generation;
    version.metageneration = stored.metageneration;
    return {.object = slot.object, .may_be = {version}};
  }

  // Until the end of the phase, or a violation. With quotas, the service sometimes accepts little.
  void RunWorkers(const std::vector<std::unique_ptr<Worker>>& workers, bool has_quotas) {
    std::stop_source stop;
    std::vector<std::jthread> threads;
    threads.reserve(workers.size());
    for (const auto& worker : workers) {
      threads.emplace_back([this, &worker = *worker, stop]() mutable {
        try {
          worker.Run(stop.get_token());
        } catch (const std::exception& error) {
          Note(worker, error.what());
          stop.request_stop();
        }
      });
    }
    const auto end = std::chrono::steady_clock::now() + milliseconds(options_.duration) / kPhases;
    for (int tick = 0; std::chrono::steady_clock::now() < end && !stop.stop_requested(); ++tick) {
      const bool is_scarce = has_quotas && tick % 30 == 10;
      emulator_.quotas().Set(is_scarce ? emulator::Quotas{.reads_per_second = 20, .writes_per_second = 20}
                                       : emulator::Quotas{});
      std::this_thread::sleep_for(kTick);
    }
    emulator_.quotas().Set({});
    stop.request_stop();
    threads.clear();
    const auto refused = emulator_.quotas().counters();
    report_.refused += refused.refused_reads + refused.refused_writes;
  }

  void Note(const Worker& worker, const std::string& what) {
    const std::scoped_lock lock(mutex_);
    if (!violation_.empty()) return;
    violation_ = worker.prefix() + " " + worker.operation() + ": " + what + LastRequestsAbout(worker.prefix());
  }

  // The service's requests about names with this prefix, and their results.
  std::string LastRequestsAbout(const std::string& prefix) const {
    constexpr std::size_t kMost = 100;
    std::vector<std::string> lines;
    for (const auto& record : emulator_.journal()) {
      if (!record.object.starts_with(prefix)) continue;
      std::string line = "\n  " + std::to_string(record.number) + " " + record.operation + " " + record.phase + " " +
                         record.object + ": call " + record.invocation_id.substr(0, 8) + " attempt " +
                         std::to_string(record.attempt) + ", status " + std::to_string(record.status);
      if (record.committed_generation != 0) line += ", made " + std::to_string(record.committed_generation);
      if (record.read_generation != 0) line += ", read " + std::to_string(record.read_generation);
      if (!record.is_finished) line += ", under way";
      for (const std::string& fault : record.faults) line += ", " + fault;
      lines.push_back(std::move(line));
    }
    std::string text;
    for (std::size_t i = lines.size() - std::min(lines.size(), kMost); i < lines.size(); ++i) text += lines[i];
    return text;
  }

  // A cancelled call's last request may still take effect.
  void AwaitRequestsThatWereLeft() const {
    const auto is_open = [](const emulator::RequestRecord& record) { return !record.is_finished; };
    for (auto journal = emulator_.journal(); std::any_of(journal.begin(), journal.end(), is_open);
         journal = emulator_.journal()) {
      std::this_thread::sleep_for(milliseconds(10));
    }
  }

  // The bucket contains exactly what the workers expect, byte by byte.
  void Verify(const Common& common, const std::vector<std::unique_ptr<Worker>>& workers) {
    std::vector<std::string> wanted;
    for (const Slot& slot : common.compressed) wanted.push_back(slot.object.name);
    for (const ObjectName& object : ContestedNames(kBucket)) {
      CheckContested(object, OrViolation(client_.ReadObject(object)));
      wanted.push_back(object.name);
    }
    std::vector<Slot> slots = common.objects;
    for (const auto& worker : workers) {
      const auto own = worker->AllSlots();
      slots.insert(slots.end(), own.begin(), own.end());
    }
    for (Slot& slot : slots) {
      const std::size_t found = Find(client_, slot);
      if (slot.may_be[found]) wanted.push_back(slot.object.name);
    }
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::string> listed;
    for (const auto& object : OrViolation(ListPrefix(client_, {kBucket, ""})).objects) listed.push_back(object.name);
    if (listed != wanted) {
      throw Violation("the bucket lists " + std::to_string(listed.size()) + " objects, not the " +
                      std::to_string(wanted.size()) + " that are there");
    }
    report_.verified += wanted.size();
  }

  const SoakOptions options_;
  const testing::TestDirectory directory_;
  emulator::Emulator emulator_{{.journal_size = 100'000,  // AwaitRequestsThatWereLeft() needs all of a phase
                                .auth = emulator::AuthOptions{.config = kIdentities, .is_required = false}}};
  const ClientOptions client_options_ = MakeOptions(emulator_, directory_.path(), options_.threads);
  const Client client_ = OrViolation(Client::Create(client_options_));
  const Downloader downloader_{client_, {.max_concurrency = options_.max_in_flight, .range_bytes = 30'000}};
  std::uint64_t common_seed_ = 0;
  Report report_;
  std::mutex mutex_;
  std::string violation_;  // by mutex_: the first one
};

}  // namespace

std::string FindMissing(const Report& report) {
  for (const auto& [type, count] : report.fired) {
    if (count == 0) return "the fault " + type + " never fired";
  }
  const Counters& client = report.client;
  if (client.retries == 0 || client.throttled == 0) return "nothing was retried, or nothing throttled";
  if (client.hedges == 0 || client.sessions_restarted == 0) return "no read was hedged, or no session restarted";
  if (report.composites == 0) return "nothing was downloaded through a composite";
  return {};
}

Report RunSoak(const SoakOptions& options) { return Soak(options).Run(); }

}  // namespace gcsflux::soak
