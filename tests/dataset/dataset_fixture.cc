#include "dataset/dataset_fixture.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <thread>

#include "support/load_fault.h"

namespace gcsflux::testing {
namespace {

using internal::DatasetCore;
using internal::FinishedBatch;

constexpr auto kBucket = "bkt";
constexpr auto kRead = "storage.objects.get";
const ObjectName kPrefix{kBucket, "o-"};

std::string NameAt(std::size_t index) {
  const std::string digits = std::to_string(index);
  return "o-" + std::string(6 - digits.size(), '0') + digits;
}

internal::SampleWork TextsOfObjects(std::function<void(const std::string&)> on_decode, std::function<void()> on_make) {
  return {.make =
              [on_make = std::move(on_make)](std::size_t samples) {
                if (on_make) on_make();
                return std::make_shared<Texts>(samples);
              },
          .decode = [on_decode = std::move(on_decode)](void* batch, std::size_t place, const ListedObject& object,
                                                       DownloadedObject& downloaded,
                                                       const SampleContext&) -> internal::DecodedSample {
            const std::string text(reinterpret_cast<const char*>(downloaded.bytes.data()), downloaded.bytes.size());
            EXPECT_EQ(text.substr(0, object.name.size()), object.name);
            (*static_cast<Texts*>(batch))[place] = object.name;
            try {
              if (on_decode) on_decode(object.name);
            } catch (...) {
              return {.exception = std::current_exception()};
            }
            return {.bytes = kDecodedBytes};
          }};
}

}  // namespace

DatasetTest::DatasetTest() { EXPECT_TRUE(MakeClient({}).InsertBucket(kBucket).ok()); }

void DatasetTest::Put(std::size_t count, std::size_t bytes) {
  const Client client = MakeClient({});
  for (std::size_t i = 0; i < count; ++i) {
    names_.push_back(NameAt(i));
    std::string content = names_.back();
    content.resize(std::max(bytes, content.size()));
    EXPECT_TRUE(client.InsertObject({kBucket, names_.back()}, AsBytes(content)).ok());
  }
}

Client DatasetTest::MakeClient(const ClientOptions& options) const {
  ClientOptions here = options;
  here.endpoint = emulator_.endpoint();
  here.project = "p";
  here.retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .budget = 1});
  return *Client::Create(here);
}

void DatasetTest::Disturb(std::uint64_t seed) {
  const emulator::FaultMatch some{.operation = kRead, .probability = 0.1};
  // An engaged gate takes time; bytes that are wrong twice are an error.
  const emulator::FaultMatch few{.operation = kRead, .every = 40};
  const emulator::FaultMatch one{.operation = kRead, .nth = 7};
  emulator_.faults().Load({.seed = seed,
                           .rules = {{.name = "fails", .match = some, .action = {.type = "status", .status = 503}},
                                     {.name = "throttled", .match = few, .action = {.type = "status", .status = 429}},
                                     {.name = "cut", .match = some, .action = {.type = "cut", .after_bytes = 3}},
                                     {.name = "corrupt", .match = one, .action = {.type = "corrupt", .at_byte = 1}}}});
}

std::map<std::string, std::uint64_t> DatasetTest::Disturbances() {
  std::map<std::string, std::uint64_t> fired;
  for (const char* rule : {"fails", "throttled", "cut", "corrupt"}) fired[rule] = emulator_.faults().Fired(rule);
  return fired;
}

void DatasetTest::Hold(const std::string& name) {
  emulator_.clock().Freeze();
  testing::LoadFault(emulator_, "held", {.operation = kRead, .object_prefix = name},
                     {.type = "stall", .duration = std::chrono::hours(1)}, 1);
}

void DatasetTest::Release() {
  emulator_.clock().AwaitWaiters(1);
  EXPECT_EQ(emulator_.faults().Fired("held"), 1U);
  emulator_.clock().Advance(std::chrono::hours(2));
}

std::size_t DatasetTest::Reads() const {
  const auto journal = emulator_.journal();
  return static_cast<std::size_t>(
      std::count_if(journal.begin(), journal.end(), [](const auto& entry) { return entry.operation == kRead; }));
}

void DatasetTest::AwaitReads(std::size_t count) const {
  while (Reads() < count) std::this_thread::yield();
}

std::unique_ptr<DatasetCore> DatasetTest::Core(bool is_live, const Decode& on_decode) const {
  return CoreOf(MakeClient({}), is_live, on_decode);
}

std::unique_ptr<DatasetCore> DatasetTest::CoreOf(const Client& client, bool is_live, const Decode& on_decode) const {
  std::vector<ListedObject> objects;
  if (!is_live) objects = ListInParallel(client, kPrefix, {.max_concurrency = 2})->objects;
  return std::make_unique<DatasetCore>(client,
                                       DatasetCore::Settings{.prefix = kPrefix,
                                                             .objects = std::move(objects),
                                                             .is_live = is_live,
                                                             .work = TextsOfObjects(on_decode, on_make_)},
                                       options_);
}

Cursor DatasetTest::Beginning(const EpochOptions& how) const {
  Cursor cursor{.seed = how.seed,
                .order = how.sample_order(),
                .shuffle_buffer = how.sample_order() == SampleOrder::kBuffered ? how.shuffle_buffer : 0,
                .listing = {.bucket = kBucket, .prefix = kPrefix.name, .is_partial = true}};
  if (how.sample_order() == SampleOrder::kShuffled) cursor.listing = Core(/*is_live=*/false)->fingerprint();
  return cursor;
}

Texts DatasetTest::Epoch(const DatasetCore& core, const EpochOptions& how, std::uint64_t epoch, int workers) {
  const Cursor start{.seed = how.seed,
                     .epoch = epoch,
                     .order = how.sample_order(),
                     .shuffle_buffer = how.sample_order() == SampleOrder::kBuffered ? how.shuffle_buffer : 0,
                     .listing = core.fingerprint()};
  EXPECT_TRUE(core.Expect(how, {.cursor = start}).ok());
  std::mutex mutex;
  Texts all;
  std::vector<std::jthread> threads;
  threads.reserve(workers);
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&] {
      while (true) {
        const auto batch = core.Next(epoch);
        ASSERT_TRUE(batch.ok()) << batch.error().message;
        if (!*batch) return;
        const std::scoped_lock lock(mutex);
        Add(all, TextsOf(**batch));
      }
    });
  }
  threads.clear();
  return all;
}

Cursor DatasetTest::Use(const DatasetCore& core, const EpochOptions& how, const internal::EpochStart& start,
                        std::uint64_t batches, Texts& used) {
  EXPECT_TRUE(core.Expect(how, start).ok());
  Cursor behind = start.cursor;
  for (; batches > 0; --batches) {
    const auto batch = core.Next(start.cursor.epoch);
    EXPECT_TRUE(batch.ok()) << batch.error().message;
    if (!batch || !*batch) {
      // Of a rank that has no more batches.
      if (behind.epoch != start.cursor.epoch) break;
      ++behind.epoch;
      behind.consumed = 0;
      break;
    }
    behind = (*batch)->cursor;
    Add(used, TextsOf(**batch));
  }
  return behind;
}

Texts DatasetTest::TextsOf(const FinishedBatch& batch) {
  EXPECT_FALSE(batch.error) << batch.error->message;
  EXPECT_FALSE(batch.exception);
  return batch.samples ? *static_cast<const Texts*>(batch.samples.get()) : Texts();
}

Texts DatasetTest::Sorted(Texts texts) {
  std::ranges::sort(texts);
  return texts;
}

std::size_t DatasetTest::CountOf(const std::string& directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}

void DatasetTest::AwaitDescriptors(std::size_t at_most) const {
  // The emulator closes connections that have ended when it accepts the next one.
  do {
    EXPECT_TRUE(MakeClient({}).GetBucket(kBucket).ok());
  } while (CountOf("/proc/self/fd") > at_most);
}

}  // namespace gcsflux::testing
