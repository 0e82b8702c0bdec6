#include "journal/request_counters.h"

#include <algorithm>

namespace gcsflux::emulator {

void AnswerCount::AddFinished(std::chrono::nanoseconds duration) {
  finished.fetch_add(1, std::memory_order_relaxed);
  nanoseconds.fetch_add(duration.count(), std::memory_order_relaxed);
  const auto* bound = std::lower_bound(kBounds.begin(), kBounds.end(), duration);
  if (bound == kBounds.end()) return;
  within[static_cast<std::size_t>(bound - kBounds.begin())].fetch_add(1, std::memory_order_relaxed);
}

std::shared_ptr<AnswerCount> RequestCounters::Find(std::string_view operation, int status) {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<AnswerCount>& count = table_[{operation, status}];
  if (count == nullptr) count = std::make_shared<AnswerCount>();
  return count;
}

Counters RequestCounters::Read() const {
  Counters counters;
  for (const auto& [key, count] : table()) {
    const auto& [operation, status] = key;
    const OperationCount& read = counters.operations.emplace_back(
        OperationCount{std::string(operation), status, count->requests, count->bytes_in, count->bytes_out});
    counters.requests += read.requests;
    counters.bytes_in += read.bytes_in;
    counters.bytes_out += read.bytes_out;
  }
  return counters;
}

RequestCounters::Table RequestCounters::table() const {
  const std::scoped_lock lock(mutex_);
  return table_;
}

void RequestCounters::Reset() {
  const std::scoped_lock lock(mutex_);
  table_.clear();
}

}  // namespace gcsflux::emulator
