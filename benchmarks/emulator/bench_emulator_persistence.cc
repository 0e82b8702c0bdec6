// What does a data directory cost? Inserts of 16 KiB over 8 connections, beside SQLite's own rate for the same rows and
// bytes with the same durability; reads of 100 KiB beside reads from memory; the start with 1,000,000 objects; and
// pages of these beside pages from memory. The emulator is a separate process. sync:1 survives a loss of power, sync:0
// the end of the process.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bare_http.h"
#include "persistence/data_directory.h"
#include "store/buckets/bucket_records.h"
#include "store/objects/object_record.h"
#include "support/emulator_process.h"
#include "support/test_directory.h"

namespace gcsflux::bench {
namespace {

constexpr std::size_t kInsertBytes = 16 << 10;
constexpr std::size_t kReadBytes = 100 << 10;
constexpr int kConnections = 8;
constexpr int kInserts = 2000;  // per iteration
constexpr int kReads = 4000;
constexpr int kPage = 1000;

std::string UploadTarget(const std::string& name) {
  return "/upload/storage/v1/b/bench/o?uploadType=media&fields=name&name=" + name;
}

// Runs `work(connection, i)` for i below `count`, shared by the connections.
template <class Work>
bool OverConnections(const std::string& endpoint, int count, const Work& work) {
  std::atomic<int> next = 0;
  std::atomic<bool> has_failed = false;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kConnections; ++t) {
    threads.emplace_back([&] {
      BareHttp connection(endpoint);
      for (int i = next++; i < count; i = next++) {
        if (!work(connection, i)) has_failed = true;
      }
    });
  }
  threads.clear();
  return !has_failed;
}

// An emulator in memory, or with a directory of its own.
struct Service {
  testing::TestDirectory directory;
  std::unique_ptr<testing::EmulatorProcess> process;

  Service(bool is_on_disk, bool syncs) {
    std::vector<std::string> flags;
    if (is_on_disk) flags.push_back("--data_dir=" + (directory.path() / "data").string());
    if (syncs) flags.emplace_back("--data_sync");
    process = std::make_unique<testing::EmulatorProcess>(flags);
    if (!BareHttp(process->endpoint()).Post("/storage/v1/b", R"({"name":"bench"})")) {
      throw std::runtime_error("no bucket");
    }
  }
};

void Insert(benchmark::State& state, bool is_on_disk, bool syncs) {
  const Service service(is_on_disk, syncs);
  const std::string content(kInsertBytes, 'i');
  int round = 0;
  for (auto _ : state) {
    const std::string prefix = std::to_string(round++) + "-";
    const bool done = OverConnections(service.process->endpoint(), kInserts, [&](BareHttp& connection, int i) {
      return connection.Post(UploadTarget(prefix + std::to_string(i)), content).has_value();
    });
    if (!done) return state.SkipWithError("an insert failed");
  }
  state.SetItemsProcessed(state.iterations() * kInserts);
}

void BM_InsertsInMemory(benchmark::State& state) { Insert(state, false, false); }
void BM_InsertsOnDisk(benchmark::State& state) { Insert(state, true, state.range(0) != 0); }

// The same rows, each transaction those of 8 connections, with their bytes in one file.
void BM_Sqlite(benchmark::State& state) {
  const bool syncs = state.range(0) != 0;
  const testing::TestDirectory directory;
  sqlite3* database = nullptr;
  const auto run = [&](const std::string& sql) {
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database));
    }
  };
  sqlite3_open((directory.path() / "metadata.sqlite").c_str(), &database);
  run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536");
  run(syncs ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  run("CREATE TABLE objects (key BLOB PRIMARY KEY, fields BLOB NOT NULL, pieces BLOB NOT NULL) WITHOUT ROWID");
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(database, "INSERT INTO objects VALUES (?1, ?2, ?3)", -1, &insert, nullptr);
  const int file = ::open((directory.path() / "bodies").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  const std::string content(kInsertBytes, 'i');
  const std::string fields(120, 'f');
  const std::string pieces(24, 'p');
  int round = 0;
  for (auto _ : state) {
    for (int first = 0; first < kInserts; first += kConnections) {
      for (int i = 0; i < kConnections; ++i) {
        if (::write(file, content.data(), content.size()) < 0) return state.SkipWithError("cannot write");
      }
      if (syncs) ::fdatasync(file);
      run("BEGIN IMMEDIATE");
      for (int i = first; i < first + kConnections; ++i) {
        const std::string key = "01234567" + std::to_string(round) + "-" + std::to_string(i) + "01234567";
        sqlite3_bind_blob64(insert, 1, key.data(), key.size(), SQLITE_STATIC);
        sqlite3_bind_blob64(insert, 2, fields.data(), fields.size(), SQLITE_STATIC);
        sqlite3_bind_blob64(insert, 3, pieces.data(), pieces.size(), SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE) return state.SkipWithError("cannot insert");
        sqlite3_reset(insert);
      }
      run("COMMIT");
    }
    ++round;
  }
  ::close(file);
  sqlite3_finalize(insert);
  sqlite3_close(database);
  state.SetItemsProcessed(state.iterations() * kInserts);
}

void BM_Reads(benchmark::State& state) {
  const Service service(state.range(0) != 0, false);
  const std::string content(kReadBytes, 'r');
  for (int i = 0; i < 100; ++i) {
    if (!BareHttp(service.process->endpoint()).Post(UploadTarget(std::to_string(i)), content)) {
      return state.SkipWithError("an insert failed");
    }
  }
  for (auto _ : state) {
    const bool done = OverConnections(service.process->endpoint(), kReads, [&](BareHttp& connection, int i) {
      const auto body = connection.Get("/storage/v1/b/bench/o/" + std::to_string(i % 100) + "?alt=media");
      return body && body->size() == kReadBytes;
    });
    if (!done) return state.SkipWithError("a read failed");
  }
  state.SetItemsProcessed(state.iterations() * kReads);
}

std::string NameOf(int number) {
  std::string digits = std::to_string(number);
  return "dir/" + std::string(8 - digits.size(), '0') + digits;
}

// As an emulator would have written it, in a fraction of the time.
void FillDirectory(const std::filesystem::path& path, int objects) {
  using namespace emulator;
  DataDirectory directory(path, false);
  const BucketLog log{&directory.log(), 1};
  if (!directory.log().Commit({log.Put(BucketInfo{.name = "bench"})})) throw std::runtime_error("cannot write");
  ObjectAttributes attributes{.content_type = "application/octet-stream", .storage_class = "STANDARD"};
  Object object{.attributes = std::make_shared<const ObjectAttributes>(std::move(attributes))};
  Change change;
  for (int i = 0; i < objects; ++i) {
    object.name = NameOf(i);
    object.generation = i + 1;
    object.body = *KeepBody(&directory.log(), std::make_shared<const Body>(Rope(std::string(100, 'b'))));
    change.push_back(log.Put(object, true));
    if (change.size() < 10'000 && i + 1 < objects) continue;
    if (!directory.log().Commit(std::exchange(change, {}))) throw std::runtime_error("cannot write");
  }
}

void BM_Open(benchmark::State& state) {
  const testing::TestDirectory directory;
  FillDirectory(directory.path() / "data", static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const testing::EmulatorProcess process({"--data_dir=" + (directory.path() / "data").string()});
    state.PauseTiming();
    const auto found = BareHttp(process.endpoint())
                           .Get("/storage/v1/b/bench/o/dir%2F" +
                                NameOf(static_cast<int>(state.range(0)) - 1).substr(4) + "?alt=media");
    if (!found || found->size() != 100) return state.SkipWithError("the last object is not there");
    state.ResumeTiming();
  }
}

void BM_Pages(benchmark::State& state) {
  const bool is_on_disk = state.range(0) != 0;
  const int objects = static_cast<int>(state.range(1));
  Service service(is_on_disk, false);
  if (is_on_disk) {
    service.process.reset();
    std::filesystem::remove_all(service.directory.path() / "data");
    FillDirectory(service.directory.path() / "data", objects);
    service.process = std::make_unique<testing::EmulatorProcess>(
        std::vector<std::string>{"--data_dir=" + (service.directory.path() / "data").string()});
  } else {
    OverConnections(service.process->endpoint(), objects, [](BareHttp& connection, int i) {
      return connection.Post(UploadTarget(NameOf(i)), std::string(100, 'b')).has_value();
    });
  }
  const int pages = objects / kPage;
  BareHttp connection(service.process->endpoint());
  for (auto _ : state) {
    for (int page = 0; page < pages; ++page) {
      const auto found = connection.Get("/storage/v1/b/bench/o?fields=items(name,size,generation)&startOffset=" +
                                        NameOf(page * kPage) + "&maxResults=" + std::to_string(kPage));
      if (!found) return state.SkipWithError("a page failed");
    }
  }
  state.SetItemsProcessed(state.iterations() * pages * kPage);
}

BENCHMARK(BM_Sqlite)->ArgName("sync")->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_InsertsOnDisk)->ArgName("sync")->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_InsertsInMemory)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Reads)->ArgName("disk")->Arg(0)->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Open)->ArgName("objects")->Arg(10'000)->Arg(1'000'000)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Pages)
    ->ArgNames({"disk", "objects"})
    ->ArgsProduct({{0, 1}, {10'000, 1'000'000}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
