#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/failure.h"
#include "persistence/body_files.h"
#include "persistence/database.h"
#include "store/log/change_log.h"

namespace gcsflux::emulator {

/// A change log in a data directory: bytes in BodyFiles, records in a Database.
///
/// A thread that finds no other one writing writes the changes of all threads that wait, in one transaction. So many
/// connections share the cost of a commit, and a single one does not wait for others. Thread-safe.
class DiskLog final : public ChangeLog {
 public:
  /// Both must outlive it. It is the only user of the database.
  DiskLog(BodyFiles& files, Database& database) : files_(files), database_(database) {}

  Outcome<Rope> Keep(const Rope& bytes) override { return files_.Write(bytes); }
  Outcome<void> Commit(Change change) override;

 private:
  struct Waiting {
    const Change& change;
    bool is_done = false;
    bool is_next = false;  ///< Writes the next batch.
    Outcome<void> outcome = {};
    std::condition_variable woken = {};
  };

  Outcome<void> Write(const std::vector<Waiting*>& batch);

  BodyFiles& files_;
  Database& database_;  // used by the thread that set is_writing_

  std::mutex mutex_;  // guards what follows
  std::vector<Waiting*> queue_;
  bool is_writing_ = false;
};

}  // namespace gcsflux::emulator
