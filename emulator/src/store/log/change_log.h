#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "store/bytes/body.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// The kinds of records that a log keeps. The numbers are written to disk.
enum class RecordKind { kBucket, kObject, kSession, kSessionBytes, kUpload, kUploadPart, kHmacKey, kFolder };

inline constexpr std::array kRecordKinds = {RecordKind::kBucket,       RecordKind::kObject, RecordKind::kSession,
                                            RecordKind::kSessionBytes, RecordKind::kUpload, RecordKind::kUploadPart,
                                            RecordKind::kHmacKey,      RecordKind::kFolder};

/// A record: its fields as record.h writes them, and bytes that are in files.
struct Record {
  std::string key = {};  ///< Unique within its kind.
  std::string fields = {};
  Rope bytes = {};  ///< All of it is from ChangeLog::Keep().
};

/// One step of a change.
struct RecordChange {
  enum class Step { kPut, kErase, kErasePrefix };
  Step step = Step::kPut;
  RecordKind kind = RecordKind::kObject;
  Record record = {};  ///< To erase, a key only, or what the keys begin with.
};

/// What happens together or not at all.
using Change = std::vector<RecordChange>;

inline RecordChange PutRecord(RecordKind kind, Record record) {
  return {RecordChange::Step::kPut, kind, std::move(record)};
}
inline RecordChange EraseRecord(RecordKind kind, std::string key) {
  return {RecordChange::Step::kErase, kind, {.key = std::move(key)}};
}
/// An empty prefix erases all records of the kind.
inline RecordChange ErasePrefix(RecordKind kind, std::string prefix) {
  return {RecordChange::Step::kErasePrefix, kind, {.key = std::move(prefix)}};
}

/// Makes changes survive the process. A store without one is in memory only. Thread-safe.
///
/// A writer holds the names that it changes, commits, and only then shows the change to readers. What a reader has seen
/// therefore survives, and a change that cannot be written has never happened.
class ChangeLog {
 public:
  virtual ~ChangeLog() = default;

  /// The same bytes, in files. What is in files already stays where it is. kUnavailable if there is no space.
  virtual Outcome<Rope> Keep(const Rope& bytes) = 0;
  /// Returns when the change is written. Changes of many threads are written together. kUnavailable if it was not
  /// written.
  virtual Outcome<void> Commit(Change change) = 0;
};

/// The same content, with its bytes in files. Without a log, `body` itself.
Outcome<BodyPtr> KeepBody(ChangeLog* log, BodyPtr body);

}  // namespace gcsflux::emulator
