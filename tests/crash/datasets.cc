// Epochs that continue at a saved cursor, and shards that are packed: each sample is used once, and none is lost.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "crash/crash_case.h"
#include "dataset/dataset_core.h"
#include "gcsflux/listing.h"
#include "gcsflux/shards.h"
#include "gcsflux/upload.h"
#include "support/text_samples.h"

namespace gcsflux::crash {
namespace {

constexpr int kSamples = 12;

std::string SampleName(int number) { return "in/" + std::to_string(100 + number) + ".txt"; }
std::string SampleContent(const Place& place, const std::string& name) { return BytesOf(place, name, 700); }

void PrepareSamples(const Place& place) {
  for (int i = 0; i < kSamples; ++i) {
    Surely([&] {
      return UploadObject(place.client, place.At(SampleName(i)), AsBytes(SampleContent(place, SampleName(i))));
    });
  }
}

// What a training keeps: its cursor, and here the samples that it has used until there.
struct Progress {
  std::optional<Cursor> cursor = {};
  std::vector<std::string> used = {};
};

Progress ReadProgress(const Place& place) {
  std::ifstream file(place.directory / "progress");
  Progress progress;
  std::string line;
  if (!std::getline(file, line)) return progress;
  progress.cursor = Must(ParseCursor(line));
  while (std::getline(file, line)) progress.used.push_back(line);
  return progress;
}

// Under its name when it is whole.
void SaveProgress(const Place& place, const Progress& progress) {
  const auto path = place.directory / "progress";
  std::ostringstream text;
  std::string cursor = FormatCursor(*progress.cursor);
  std::erase(cursor, '\n');
  text << cursor << "\n";
  for (const std::string& name : progress.used) text << name << "\n";
  std::ofstream(path.string() + ".new") << text.str();
  std::filesystem::rename(path.string() + ".new", path);
}

template <SampleOrder order>
void RunEpoch(const Place& place) {
  constexpr bool kIsLive = order == SampleOrder::kBuffered;
  const EpochOptions how{.order = order, .shuffle_buffer = 5, .seed = 7, .batch_size = 2};
  std::vector<ListedObject> objects;
  if (!kIsLive) objects = Must(ListInParallel(place.client, place.At("in/"), {.max_concurrency = 1})).objects;
  const internal::DatasetCore core(
      place.client, {.prefix = place.At("in/"), .objects = objects, .is_live = kIsLive, .work = testing::TextSamples()},
      {.download = {.max_concurrency = 2}, .listing = {.max_concurrency = 1}});
  Progress progress = ReadProgress(place);
  if (!progress.cursor) progress.cursor = testing::BeginningOf(core, how, place.At("in/"));
  if (progress.cursor->epoch > 0) return;  // It was over.
  Must(core.Expect(how, {.cursor = *progress.cursor}));
  while (auto batch = Must(core.Next(0))) {
    Expect(!batch->error, batch->error ? batch->error->message : "");
    for (const auto& [name, content] : testing::TextsOf(*batch)) {
      const std::string own = name.substr(place.prefix.size());
      Expect(content == SampleContent(place, own), "a sample has other bytes than " + own);
      progress.used.push_back(own);
    }
    progress.cursor = batch->cursor;
    SaveProgress(place, progress);
  }
}

template <SampleOrder order>
void CheckEpoch(const Place& place) {
  SurelyDo([&] { RunEpoch<order>(place); });
  auto used = ReadProgress(place).used;
  std::ranges::sort(used);
  std::vector<std::string> wanted;
  for (int i = 0; i < kSamples; ++i) wanted.push_back(SampleName(i));
  Expect(used == wanted, "the epoch has not used each sample once");
}

void Pack(const Place& place) {
  Must(PackShards(place.client, place.At("in/"), place.At("out/%03d.tar"), {.max_shards = 2, .max_samples = 4}));
}

// Each shard that is there is whole.
void CheckShards(const Place& place) {
  const auto list = [&] {
    std::map<std::string, std::uint64_t> members;
    const auto listed = ListShards(place.client, place.At("out/"), [&](const ListedObject& member) {
      const std::string_view name = member.name;
      members[std::string(name.substr(name.find(".tar/") + 5))] = member.size;
    });
    if (!listed && listed.error().code != ErrorCode::kEmptyPrefix) throw Broken(listed.error().message);
    return members;
  };
  std::map<std::string, std::uint64_t> members;
  SurelyDo([&] { members = list(); });
  for (const auto& [name, size] : members) Expect(size == 700, name + " is cut short in its shard");
  SurelyDo([&] { Pack(place); });
  Surely([&] { return UnpackShards(place.client, place.At("out/"), place.At("back/")); });
  for (int i = 0; i < kSamples; ++i) {
    const std::string name = SampleName(i);
    const auto back = place.At("back/" + name.substr(3));
    Expect(Surely([&] { return place.client.ReadObject(back); }) == SampleContent(place, name),
           name + " is not in a shard");
  }
}

}  // namespace

std::vector<CrashCase> DatasetCases() {
  return {{.name = "a map epoch",
           .prepare = PrepareSamples,
           .act = RunEpoch<SampleOrder::kShuffled>,
           .check = CheckEpoch<SampleOrder::kShuffled>},
          {.name = "an iterable epoch",
           .prepare = PrepareSamples,
           .act = RunEpoch<SampleOrder::kBuffered>,
           .check = CheckEpoch<SampleOrder::kBuffered>},
          {.name = "pack shards", .prepare = PrepareSamples, .act = Pack, .check = CheckShards}};
}

}  // namespace gcsflux::crash
