#include "campaign/world.h"

#include <algorithm>
#include <fstream>
#include <thread>

#include "campaign/contested.h"
#include "campaign/extra_objects.h"
#include "campaign/fault_mix.h"
#include "campaign/run_model.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "support/gzip.h"

namespace gcsflux::campaign {
namespace {

using std::chrono::milliseconds;

constexpr auto kBucket = "campaign";
constexpr std::size_t kCommonSizes[] = {0, 1, 100, 5'000, 70'000, 1'000'000};
constexpr int kSamples = 12;

// A client with this refresh token receives tokens. A client without a token, or with an expired one, may do everything
// too.
constexpr auto kIdentities = R"({
  "authorized_users": [
    {"email": "campaign@example.com", "client_id": "campaign", "client_secret": "secret", "refresh_token": "refresh"}
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
  std::ofstream(file) << R"({"type": "authorized_user", "client_id": "campaign", "client_secret": "secret",)"
                      << R"("refresh_token": "refresh", "token_uri": ")" << endpoint << R"(/token"})";
  return OrViolation(Credentials::FromFile(file));
}

ClientOptions MakeOptions(const emulator::Emulator& emulator, const std::filesystem::path& directory, int threads) {
  return {.endpoint = emulator.endpoint(),
          .credentials = MakeCredentials(directory, emulator.endpoint()),
          .project = "campaign",
          .retry = RetryPolicies::All({.initial_delay = milliseconds(1),
                                       .max_delay = milliseconds(20),
                                       .deadline = milliseconds(30'000),  // what waits longer hangs
                                       .budget = 10}),                    // faults are many
          .hedge_budget = 0.2,
          .hedge_min_stall = milliseconds(50),
          .max_idle_connections = 4 * threads};
}

}  // namespace

World::World(const WorldOptions& options)
    : options_(options),
      emulator_(
          {.journal_size = kJournalSize, .auth = emulator::AuthOptions{.config = kIdentities, .is_required = false}}),
      client_options_(MakeOptions(emulator_, directory_.path(), options.threads)),
      client_(OrViolation(Client::Create(client_options_))),
      downloader_(client_, {.max_concurrency = options.max_in_flight, .range_bytes = 30'000}),
      processes_(options.processes) {}

Phase::Phase(World& world, std::uint64_t seed) : world_(world) {
  OrViolation(world.client_.InsertBucket(kBucket));
  composing_.emplace(world.client_, DownloaderOptions{.max_concurrency = 4, .composition = CompositionMode::kOn});
  common_ = std::make_unique<Common>(Common{.options = world.client_options_,
                                            .client = world.client_,
                                            .downloader = world.downloader_,
                                            .composing_downloader = *composing_,
                                            .bucket = kBucket,
                                            .objects = StoreCommonObjects(),
                                            .compressed = StoreCompressedObjects(),
                                            .samples = {kBucket, "samples/"},
                                            .sample_objects = StoreSamples(),
                                            .directory = world.directory_.path(),
                                            .processes = world.processes_});
  StoreContestedObjects();
  for (int i = 0; i < world.options_.threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(*common_, i, seed * 1'000 + static_cast<std::uint64_t>(i)));
  }
}

void Phase::Finish(Report& report) {
  emulator::Emulator& service = world_.emulator_;
  AddFired(service.faults().Counts(), report.fired);
  for (const auto& record : service.journal()) {
    for (const std::string& rule : record.faults) {
      ++report.fired_by_operation[rule.substr(0, rule.find(' '))][record.operation];
    }
  }
  service.faults().Clear();
  for (const auto& worker : workers_) {
    for (const auto& [operation, tally] : worker->tallies()) report.operations[operation] += tally;
    for (const auto& [name, kills] : worker->kills()) report.kills[name] += kills;
  }
  report.composites += composing_->composition_report().composites;
  const auto refused = service.quotas().counters();
  report.refused += refused.refused_reads + refused.refused_writes;
}

void Phase::Check(Report& report) {
  composing_.reset();  // deletes the remaining ones
  AwaitRequestsThatWereLeft();
  CheckComposition();
  CheckParts();
  try {
    for (const auto& worker : workers_) CheckExtras(*worker);
    crash::ExpectNothingLeft(world_.client_, kBucket);
  } catch (const std::runtime_error& broken) {
    throw Violation(broken.what());
  }
  Verify(report);
}

// Without faults no composite fails.
void Phase::CheckComposition() {
  const Downloader downloader(world_.client_, {.max_concurrency = 4, .composition = CompositionMode::kOn});
  std::vector<DownloadSource> sources;
  for (const Slot& slot : common_->sample_objects) {
    sources.push_back(
        {.object = slot.object, .size = slot.state()->content.size(), .generation = slot.state()->generation});
  }
  const auto batch = OrViolation(downloader.Download(sources));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto bytes = batch[i].bytes;
    CheckBytes(sources[i].object, {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
               common_->sample_objects[i].state()->content);
  }
  const CompositionReport report = downloader.composition_report();
  if (report.composites == 0 || report.fallbacks != 0) {
    throw Violation("of " + std::to_string(report.composites) + " composites some failed: " + report.last_failure);
  }
}

// Without faults a write of several parts succeeds.
void Phase::CheckParts() {
  constexpr std::size_t kPart = 5 << 20;
  const ObjectName object{kBucket, "parts at rest"};
  const Content content{{{++world_.common_seed_, 2 * kPart + 1'000}}};
  ObjectWriter writer(world_.client_, object, {.part_bytes = kPart, .path = WritePath::kParallel});
  const std::string bytes = content.Render();
  const auto written = writer.Write(AsBytes(bytes));
  if (!written) throw Violation(written.error().message);
  const auto stored = OrViolation(writer.Close());
  CheckBytes(object, OrViolation(world_.client_.ReadObject(object)), content);
  const auto deleted = world_.client_.DeleteObject(object, {.generation = stored.generation});
  if (!deleted) throw Violation(deleted.error().message);
}

// What workers have beside the objects of their slots. It is deleted then.
void Phase::CheckExtras(Worker& worker) {
  CheckRun(world_.client_, worker, worker.steps());
  for (const KilledPlace& killed : worker.places()) {
    try {
      killed.operation->check(killed.place);
    } catch (const std::runtime_error& broken) {
      throw Violation(std::string(killed.operation->name) + ", killed at " + killed.place.prefix + ": " +
                      broken.what());
    }
    std::filesystem::remove_all(killed.place.directory);
  }
  RemoveAll(world_.client_, {kBucket, kExtraPrefix + worker.prefix()});
}

std::vector<Slot> Phase::StoreCommonObjects() {
  std::vector<Slot> slots;
  for (const std::string suffix : {"", kCheckedSuffix}) {
    for (const std::size_t size : kCommonSizes) slots.push_back(Store(size, "common" + suffix, false));
  }
  return slots;
}
std::vector<Slot> Phase::StoreCompressedObjects() {
  std::vector<Slot> slots;
  for (const std::size_t size : kCommonSizes) slots.push_back(Store(size, "compressed", true));
  return slots;
}

std::vector<Slot> Phase::StoreSamples() {
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::string name = "samples/" + std::to_string(10 + i);
    slots.push_back(Store(100 + 300 * i, name + ".txt", false, /*is_exact=*/true));
  }
  return slots;
}

void Phase::StoreContestedObjects() {
  for (const ObjectName& object : ContestedNames(kBucket)) {
    OrViolation(UploadObject(world_.client_, object, AsBytes(MakeContested(++world_.common_seed_, 100'000))));
  }
}

Slot Phase::Store(std::size_t size, const std::string& name, bool is_compressed, bool is_exact) {
  const Slot slot{.object = {kBucket, is_exact ? name : std::to_string(size) + " " + name}};
  Version version{.content = {{{++world_.common_seed_, size}}}, .tag = "common"};
  ObjectAttributes attributes = AttributesOf(version);
  if (is_compressed) attributes.content_encoding = "gzip";
  const std::string content = version.content.Render();
  const auto stored =
      OrViolation(UploadObject(world_.client_, slot.object, AsBytes(is_compressed ? testing::Gzip(content) : content),
                               {.attributes = attributes}));
  version.generation = stored.generation;
  version.metageneration = stored.metageneration;
  return {.object = slot.object, .may_be = {version}};
}

// The service's requests about names with this prefix, and their results.
std::string Phase::LastRequestsAbout(const std::string& prefix) const {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> lines;
  for (const auto& record : world_.emulator_.journal()) {
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
void Phase::AwaitRequestsThatWereLeft() const {
  const auto is_open = [](const emulator::RequestRecord& record) { return !record.is_finished; };
  for (auto journal = world_.emulator_.journal(); std::any_of(journal.begin(), journal.end(), is_open);
       journal = world_.emulator_.journal()) {
    std::this_thread::sleep_for(milliseconds(10));
  }
}

// The bucket contains exactly what the workers expect, byte by byte.
void Phase::Verify(Report& report) {
  std::vector<std::string> wanted;
  for (const Slot& slot : common_->compressed) wanted.push_back(slot.object.name);
  for (const ObjectName& object : ContestedNames(kBucket)) {
    CheckContested(object, OrViolation(world_.client_.ReadObject(object)));
    wanted.push_back(object.name);
  }
  std::vector<Slot> slots = common_->objects;
  slots.insert(slots.end(), common_->sample_objects.begin(), common_->sample_objects.end());
  for (const auto& worker : workers_) {
    const auto own = worker->AllSlots();
    slots.insert(slots.end(), own.begin(), own.end());
  }
  for (Slot& slot : slots) {
    const std::size_t found = Find(world_.client_, slot);
    if (slot.may_be[found]) wanted.push_back(slot.object.name);
  }
  std::sort(wanted.begin(), wanted.end());
  std::vector<std::string> listed;
  for (const auto& object : OrViolation(ListPrefix(world_.client_, {kBucket, ""})).objects)
    listed.push_back(object.name);
  if (listed != wanted) {
    throw Violation("the bucket lists " + std::to_string(listed.size()) + " objects, not the " +
                    std::to_string(wanted.size()) + " that are there");
  }
  report.verified += wanted.size();
}

}  // namespace gcsflux::campaign
