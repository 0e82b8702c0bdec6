#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "formats/local_file.h"
#include "formats/tagged_json.h"

// Files of newer versions of PyTorch: fixtures/make.py wrote them with their expected content.
namespace gcsflux::formats_tests {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<fs::path> Fixtures() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(GCSFLUX_FORMAT_FIXTURES)) {
    if (entry.path().extension() == ".pt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Sets have no order.
json Normal(json tagged) {
  if (!tagged.is_array()) return tagged;
  for (json& item : tagged) item = Normal(std::move(item));
  const bool is_set = !tagged.empty() && (tagged[0] == "set" || tagged[0] == "frozenset");
  if (is_set)
    std::sort(tagged[1].begin(), tagged[1].end(), [](const json& a, const json& b) { return a.dump() < b.dump(); });
  return tagged;
}

json WantedOf(fs::path path) { return json::parse(std::ifstream(path.replace_extension(".json"))); }

TEST(Fixtures, MatchTheValuesOfPython) {
  ASSERT_GT(Fixtures().size(), 10U);
  for (const fs::path& path : Fixtures()) {
    const json wanted = WantedOf(path);
    const auto source = OpenLocalFile(path.string());
    ASSERT_TRUE(source.ok()) << source.error().message;
    const auto file = StoredCheckpoint::Open(*source);
    ASSERT_TRUE(file.ok()) << file.error().message;
    if (!wanted.contains("root")) continue;
    const auto root = file->reader().ReadValue();
    ASSERT_TRUE(root.ok()) << root.error().message;
    EXPECT_EQ(Normal(TaggedJson(*file, *root)).dump(), Normal(wanted["root"]).dump()) << path;
    EXPECT_TRUE(file->refused().empty()) << path << ": " << file->refused().front().why;
  }
}

// The position of the data is guessed by the rule of PyTorch's writers.
TEST(Fixtures, AreReadInOneCall) {
  for (const fs::path& path : Fixtures()) {
    auto source = OpenLocalFile(path.string());
    ASSERT_TRUE(source.ok()) << source.error().message;
    int calls = 0;
    source->read_all = [&calls, read_at = source->read_at](std::span<const RangeRead> reads,
                                                           std::optional<Checksum>) -> Result<ReadSums> {
      ++calls;
      for (const RangeRead& read : reads) {
        if (auto done = read_at(read.offset, read.into); !done.ok()) return done.error();
      }
      return ReadSums();
    };
    const auto file = StoredCheckpoint::Open(*source);
    ASSERT_TRUE(file.ok()) << file.error().message;
    std::vector<std::string> rooms;
    for (const StoredStorage& storage : file->reader().storages()) rooms.emplace_back(storage.bytes, '\0');
    std::vector<StorageRead> reads;
    for (std::size_t i = 0; i < rooms.size(); ++i) reads.push_back({i, std::as_writable_bytes(std::span(rooms[i]))});
    calls = 0;
    const auto read = file->reader().ReadStorages(reads);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_LE(calls, 1) << path;
  }
}

TEST(Fixtures, RefuseUnsupportedValuesAndReadTheRest) {
  int seen = 0;
  for (const fs::path& path : Fixtures()) {
    const json wanted = WantedOf(path);
    if (!wanted.contains("refused")) continue;
    ++seen;
    const auto file = StoredCheckpoint::Open(*OpenLocalFile(path.string()));
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_TRUE(file->Find("weight").ok());
    std::set<std::string> refused;
    for (const RefusedValue& value : file->refused()) refused.insert(value.name);
    EXPECT_EQ(refused, wanted["refused"].get<std::set<std::string>>());
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace gcsflux::formats_tests
