#include "journal/journal.h"

#include <algorithm>
#include <utility>

#include "base/interruption.h"

namespace gcsflux::emulator {

void JournalEntry::SetNumber(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  record_.number = number;
}

void JournalEntry::SetAnswer(Answer answer) {
  const std::scoped_lock lock(mutex_);
  operation_ = answer.operation;
  phase_ = answer.phase;
  record_.bucket = std::move(answer.bucket);
  record_.object = std::move(answer.object);
  record_.committed_generation = answer.committed_generation;
  record_.read_generation = answer.read_generation;
  record_.offset = answer.offset;
  record_.is_replayed = answer.is_replayed;
  faults_ = std::move(answer.faults);
  record_.status = answer.status;
  record_.bytes_in = answer.bytes_in;
}

std::chrono::nanoseconds JournalEntry::Finish(Clock::Time now) {
  const std::scoped_lock lock(mutex_);
  // The machine's clock may have been set back meanwhile.
  record_.duration = std::max<std::chrono::nanoseconds>(now - record_.start, std::chrono::nanoseconds(0));
  record_.is_finished = true;
  return record_.duration;
}

RequestRecord JournalEntry::Read(Clock::Time now) const {
  const std::scoped_lock lock(mutex_);
  RequestRecord record = record_;
  record.operation = operation_;
  record.phase = phase_;
  if (faults_ != nullptr) record.faults = faults_->Read();
  record.bytes_out = bytes_out_.load(std::memory_order_relaxed);
  if (!record.is_finished) record.duration = std::max<std::chrono::nanoseconds>(now - record.start, {});
  return record;
}

void Journal::Add(std::shared_ptr<JournalEntry> entry) {
  if (size_ == 0) return;
  const std::scoped_lock lock(mutex_);
  entry->SetNumber(++last_number_);
  // The old entry is freed by the caller's `entry`, outside the lock.
  ring_[(last_number_ - 1) % size_].swap(entry);
}

std::vector<RequestRecord> Journal::Read(const JournalRange& range, Clock::Time now) const {
  std::vector<std::shared_ptr<JournalEntry>> entries;
  {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t oldest = last_number_ > size_ ? last_number_ - size_ : 0;
    const std::uint64_t begin = std::min(std::max(range.since, oldest), last_number_);
    const std::uint64_t count = std::min(last_number_ - begin, range.limit);
    const std::uint64_t first = range.is_first ? begin : last_number_ - count;
    entries.reserve(count);
    for (std::uint64_t at = first; at < first + count; ++at) entries.push_back(ring_[at % size_]);
  }
  std::vector<RequestRecord> records;
  records.reserve(entries.size());
  for (const auto& entry : entries) {
    ThrowIfInterrupted();
    records.push_back(entry->Read(now));
  }
  return records;
}

bool Journal::HasAllSince(std::uint64_t since) const {
  const std::scoped_lock lock(mutex_);
  return size_ != 0 && (last_number_ <= size_ || since >= last_number_ - size_);
}

void Journal::Reset() {
  std::vector<std::shared_ptr<JournalEntry>> forgotten(size_);  // freed outside the lock
  const std::scoped_lock lock(mutex_);
  ring_.swap(forgotten);
  last_number_ = 0;
}

}  // namespace gcsflux::emulator
