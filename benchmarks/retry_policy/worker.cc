#include "retry_policy/worker.h"

#include <chrono>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

#include "gcsflux/client.h"
#include "retry_policy/figures.h"

namespace gcsflux::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Run {
  Clock::time_point start;
  Clock::time_point end;
};

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

CallRecord ReadOnce(const Client& client, const Run& run, const std::stop_token& stop) {
  CallRecord record{.issued = SecondsSince(run.start)};
  const Result<std::string> read = client.ReadObject({kBucket, kObject}, {.stop = stop});
  record.ended = SecondsSince(run.start);
  if (read) return record;
  if (read.error().code == ErrorCode::kCancelled) {
    record.outcome = CallRecord::Outcome::kUnfinished;
  } else {
    record.outcome = CallRecord::Outcome::kFailed;
    static std::once_flag first;
    std::call_once(first, [&] { std::cerr << "retry_policy: " << read.error().message << "\n"; });
  }
  return record;
}

std::vector<CallRecord> ReadUntilEnd(const Client& client, const Run& run, const std::stop_token& stop) {
  std::vector<CallRecord> records;
  std::this_thread::sleep_until(run.start);
  while (!stop.stop_requested()) records.push_back(ReadOnce(client, run, stop));
  return records;
}

}  // namespace

Result<void> RunWorker(const ClientOptions& options, int threads) {
  const Result<Client> client = Client::Create(options);
  if (!client) return client.error();
  std::cout << "ready" << std::endl;
  std::int64_t start = 0;
  double seconds = 0;
  if (!(std::cin >> start >> seconds)) return Error{ErrorCode::kLocalIo, "a worker was not told when to begin"};
  Run run{.start = Clock::time_point(std::chrono::nanoseconds(start)), .end = {}};
  run.end = run.start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));

  std::vector<std::vector<CallRecord>> records(static_cast<std::size_t>(threads));
  std::stop_source stop;
  {
    std::vector<std::jthread> readers;
    for (auto& own : records) readers.emplace_back([&] { own = ReadUntilEnd(*client, run, stop.get_token()); });
    std::this_thread::sleep_until(run.end);
    stop.request_stop();
  }
  const auto microseconds = [](double s) { return static_cast<std::int64_t>(s * 1e6); };
  for (const auto& own : records) {
    for (const CallRecord& record : own) {
      std::cout << microseconds(record.issued) << ' ' << microseconds(record.ended) << ' '
                << static_cast<char>(record.outcome) << '\n';
    }
  }
  std::cout.flush();
  return {};
}

}  // namespace gcsflux::bench
