// lost_acknowledgements: calls without preconditions whose first answer is lost, each of them, by a client that trusts
// the service's idempotency tokens. No effect may be doubled: by the journal, and by the stored objects.
//
// Ends with status 1 and an explanation if this fails. `--count=100000` takes minutes.

#include <gflags/gflags.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"

DEFINE_uint64(count, 5'000, "How many acknowledgements are lost. Raise it to look for what is rare.");
DEFINE_uint32(threads, 8, "How many threads call at once.");

namespace gcsflux {
namespace {

using std::chrono::milliseconds;

constexpr auto kBucket = "bucket";
constexpr std::uint64_t kPieceBytes = 3;
constexpr int kAppendsPerLog = 200;

class Failures {
 public:
  void Add(const std::string& what) {
    const std::scoped_lock lock(mutex_);
    if (++count_ <= 20) std::cerr << "lost_acknowledgements: " << what << "\n";
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::mutex mutex_;
  std::atomic<std::uint64_t> count_ = 0;
};

// One thread's calls, on its own names. Each method makes one call whose answer is lost, and checks the stored object
// as far as the next call shows it.
class Caller {
 public:
  Caller(const Client& client, std::uint32_t number, Failures& failures)
      : client_(client), prefix_("t" + std::to_string(number) + "/"), failures_(failures) {
    Must("piece", client_.InsertObject({kBucket, Piece()}, AsBytes("123")));
    Must("patched", client_.InsertObject({kBucket, Patched()}, AsBytes("456")));
    StartLog();
  }

  void Call(std::uint64_t number) {
    switch (number % 5) {
      case 0: return Append();
      case 1: return Compose();
      case 2: return Rewrite();
      case 3: return Patch();
      default: return Delete();
    }
  }

  void Finish() {
    CheckLog();
    const auto patched = client_.GetObject({kBucket, Patched()});
    if (!patched || patched->metageneration != metageneration_) failures_.Add("a patch took effect twice");
  }

 private:
  [[nodiscard]] std::string Piece() const { return prefix_ + "piece"; }
  [[nodiscard]] std::string Patched() const { return prefix_ + "patched"; }
  [[nodiscard]] std::string Log() const { return prefix_ + "log-" + std::to_string(logs_); }
  std::string NewName() { return prefix_ + "made-" + std::to_string(++names_); }

  template <class T>
  bool Must(const std::string& what, const Result<T>& result) {
    if (!result) failures_.Add(what + ": " + result.error().message);
    return result.ok();
  }

  void StartLog() {
    ++logs_;
    appends_ = 0;
    Must("log", client_.InsertObject({kBucket, Log()}, AsBytes("")));
  }
  void CheckLog() {
    const auto log = client_.GetObject({kBucket, Log()});
    const auto wanted = kPieceBytes * static_cast<std::uint64_t>(appends_);
    if (!log || log->size != wanted) failures_.Add(Log() + ": an append took effect twice, or not at all");
  }

  void Append() {
    if (appends_ == kAppendsPerLog) {
      CheckLog();
      StartLog();
    }
    Must("append", client_.ComposeObjects({{.name = Log()}, {.name = Piece()}}, {kBucket, Log()}));
    ++appends_;
  }
  void Compose() {
    made_ = {kBucket, NewName()};
    CheckMade(client_.ComposeObjects({{.name = Piece()}, {.name = Patched()}}, made_));
  }
  void Rewrite() {
    made_ = {kBucket, NewName()};
    CheckMade(client_.RewriteObject({kBucket, Piece()}, made_));
  }
  // A second one would have made another generation.
  void CheckMade(const Result<ObjectMetadata>& made) {
    if (!Must("make", made)) return;
    const auto live = client_.GetObject(made_);
    if (!live || live->generation != made->generation) failures_.Add(made_.name + " was made twice");
  }
  void Patch() {
    const auto patched = client_.PatchObject({kBucket, Patched()}, {.content_type = "text/" + std::to_string(names_)});
    if (!Must("patch", patched)) return;
    if (patched->metageneration != ++metageneration_) failures_.Add("a patch took effect twice");
  }
  // An object that is written at once under a deleted name remains.
  void Delete() {
    if (!Must("delete", client_.DeleteObject(made_))) return;
    Must("insert", client_.InsertObject(made_, AsBytes("x")));
    if (!client_.GetObject(made_)) failures_.Add(made_.name + " was deleted twice");
  }

  const Client& client_;
  const std::string prefix_;
  Failures& failures_;
  int logs_ = 0;
  int appends_ = 0;
  int names_ = 0;
  std::int64_t metageneration_ = 1;
  ObjectName made_ = {};
};

const std::vector<std::string>& LossyOperations() {
  static const std::vector<std::string> operations = {"storage.objects.compose", "storage.objects.rewrite",
                                                      "storage.objects.patch", "storage.objects.delete"};
  return operations;
}

emulator::FaultPlan LoseFirstAnswers() {
  emulator::FaultPlan plan;
  for (const std::string& operation : LossyOperations()) {
    plan.rules.push_back(
        {.name = operation, .match = {.operation = operation, .attempt = 1}, .action = {.type = "loseAnswer"}});
  }
  return plan;
}

// For each call, one request was carried out, and one received its stored answer.
std::uint64_t CheckJournal(const emulator::Emulator& emulator, Failures& failures) {
  struct Requests {
    int done = 0;
    int replayed = 0;
    int lost = 0;
  };
  std::map<std::string, Requests> calls;
  for (const auto& record : emulator.journal()) {
    if (std::ranges::find(LossyOperations(), record.operation) == LossyOperations().end()) continue;
    Requests& call = calls[record.invocation_id];
    ++(record.is_replayed ? call.replayed : call.done);
    call.lost += record.status == 0;
  }
  for (const auto& [id, requests] : calls) {
    const bool is_right = requests.done == 1 && requests.replayed == 1 && requests.lost == 1;
    if (!is_right) {
      failures.Add("call " + id + ": carried out " + std::to_string(requests.done) + " times, replayed " +
                   std::to_string(requests.replayed) + " times, lost " + std::to_string(requests.lost));
    }
  }
  return calls.size();
}

int Run() {
  emulator::Emulator emulator({.journal_size = 5 * FLAGS_count + 10'000});
  const auto client = Client::Create(
      {.endpoint = emulator.endpoint(),
       .credentials = Credentials::Anonymous(),
       .project = "p",
       .retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(1), .budget = 100}),
       .idempotency = IdempotencyPolicy::kToken});
  if (!client || !client->InsertBucket(kBucket)) return 1;
  emulator.faults().Load(LoseFirstAnswers());
  Failures failures;
  std::atomic<std::uint64_t> next = 0;
  std::vector<std::jthread> threads;
  for (std::uint32_t i = 0; i < FLAGS_threads; ++i) {
    threads.emplace_back([&, i] {
      Caller caller(*client, i, failures);
      // In turn, so that there is something to delete.
      for (std::uint64_t own = 0; next++ < FLAGS_count; ++own) caller.Call(own);
      caller.Finish();
    });
  }
  threads.clear();
  std::uint64_t lost = 0;
  for (const auto& count : emulator.faults().Counts()) lost += count.fired;
  if (lost != FLAGS_count) failures.Add(std::to_string(lost) + " answers were lost");
  if (CheckJournal(emulator, failures) != FLAGS_count) failures.Add("the journal has other calls");
  std::cout << lost << " acknowledgements lost, " << failures.count() << " failures\n";
  return failures.count() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gcsflux

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  return gcsflux::Run();
}
