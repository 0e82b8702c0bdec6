#include "persistence/disk_log.h"

#include <exception>
#include <utility>

#include "persistence/pieces.h"

namespace gcsflux::emulator {
namespace {

void WriteStep(Database& database, const RecordChange& change) {
  const Record& record = change.record;
  switch (change.step) {
    case RecordChange::Step::kPut:
      return database.Put(change.kind, {record.key, record.fields, WritePieces(record.bytes)});
    case RecordChange::Step::kErase: return database.Erase(change.kind, record.key);
    case RecordChange::Step::kErasePrefix: return database.ErasePrefix(change.kind, record.key);
  }
}

}  // namespace

Outcome<void> DiskLog::Commit(Change change) {
  Waiting mine{change};
  std::unique_lock lock(mutex_);
  queue_.push_back(&mine);
  if (is_writing_) mine.woken.wait(lock, [&] { return mine.is_done || mine.is_next; });
  if (mine.is_done) return std::move(mine.outcome);
  is_writing_ = true;
  const std::vector<Waiting*> batch = std::exchange(queue_, {});
  lock.unlock();
  Outcome<void> written = Write(batch);
  lock.lock();
  // Each thread is woken once: when its change is written, or to write those that came meanwhile.
  for (Waiting* waiting : batch) {
    waiting->outcome = written;
    waiting->is_done = true;
    waiting->woken.notify_one();
  }
  is_writing_ = !queue_.empty();
  if (is_writing_) {
    queue_.front()->is_next = true;
    queue_.front()->woken.notify_one();
  }
  return written;
}

// Bytes first: a record never names bytes that could be lost.
Outcome<void> DiskLog::Write(const std::vector<Waiting*>& batch) {
  try {
    if (auto synced = files_.Sync(); !synced) return synced;
    database_.Begin();
    for (const Waiting* waiting : batch) {
      for (const RecordChange& change : waiting->change) WriteStep(database_, change);
    }
    database_.Commit();
    return {};
  } catch (const std::exception&) {
    database_.RollBack();
    return Fail(FailureKind::kUnavailable, "The emulator cannot write to its data directory. Nothing was changed.");
  }
}

}  // namespace gcsflux::emulator
