#include "persistence/load_store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "persistence/hmac_key_record.h"
#include "persistence/pieces.h"
#include "store/bytes/crc32c.h"
#include "store/objects/object_record.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kNumber = 8;  // bytes of a number in a key
constexpr std::size_t kIdSize = 32;

// The places of a record's bytes, among those of all records.
struct PieceSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct LoadedPart {
  std::shared_ptr<MultipartUpload> upload = {};
  PartRecord part = {};
  PieceSpan pieces = {};
};

struct LoadedSession {
  SessionRecord record = {};
  std::vector<std::pair<SessionBytesRecord, PieceSpan>> bytes = {};
};

// Reads all records first, because only then is it known which of them share bytes.
class Loader {
 public:
  Loader(Database& database, BodyFiles& files, Store& store, ResumableSessions& sessions, HmacKeys& keys)
      : database_(database), files_(files), store_(store), sessions_(sessions), keys_(keys) {}

  LoadReport Load() {
    ReadBuckets();
    ReadFolders();
    ReadObjects();
    ReadUploads();
    ReadParts();
    ReadSessions();
    ReadSessionBytes();
    ReadKeys();
    extents_ = files_.Adopt(ranges_);
    AdoptObjects();
    AdoptParts();
    AdoptSessions();
    EraseLeftOver();
    report_.dropped_bytes = files_.Reclaim();
    return report_;
  }

 private:
  using Row = Database::Row;

  // What `visit` does not want is left over.
  template <class Visit>
  void ForEach(RecordKind kind, const Visit& visit) {
    database_.ForEach(kind, [&](const Row& row) {
      if (!visit(row)) left_over_.emplace_back(kind, row.key);
    });
  }

  void ReadBuckets() {
    ForEach(RecordKind::kBucket, [this](const Row& row) {
      const std::uint64_t number = NumberInKey(row.key, 0);
      buckets_.emplace(number, store_.AdoptBucket(ReadRecord<BucketInfo>(row.fields), number));
      return true;
    });
  }

  void ReadFolders() {
    ForEach(RecordKind::kFolder, [this](const Row& row) {
      const auto bucket = buckets_.find(NumberInKey(row.key, 0));
      if (bucket == buckets_.end()) return false;
      bucket->second->AdoptFolder(FolderOf(std::string(row.key.substr(kNumber)), ReadRecord<FolderRecord>(row.fields)));
      return true;
    });
  }

  void ReadObjects() {
    ObjectReader reader;
    ForEach(RecordKind::kObject, [&](const Row& row) {
      if (!buckets_.contains(NumberInKey(row.key, 0))) return false;
      objects_.emplace_back(reader.Read(row.key, row.fields), ReadSpan(row));
      return true;
    });
  }

  void ReadUploads() {
    ForEach(RecordKind::kUpload, [this](const Row& row) {
      const auto bucket = buckets_.find(NumberInKey(row.key, 0));
      if (bucket == buckets_.end()) return false;
      uploads_.emplace(row.key, bucket->second->uploads().Adopt(ReadRecord<UploadRecord>(row.fields)));
      return true;
    });
  }

  void ReadParts() {
    ForEach(RecordKind::kUploadPart, [this](const Row& row) {
      const auto upload = uploads_.find(std::string(row.key.substr(0, kNumber + kIdSize)));
      if (upload == uploads_.end()) return false;
      parts_.push_back({upload->second, ReadRecord<PartRecord>(row.fields), ReadSpan(row)});
      return true;
    });
  }

  void ReadSessions() {
    ForEach(RecordKind::kSession, [this](const Row& row) {
      auto record = ReadRecord<SessionRecord>(row.fields);
      if (!buckets_.contains(record.bucket)) return false;
      open_or_complete_.emplace(row.key, LoadedSession{std::move(record), {}});
      return true;
    });
  }

  // Those of one session are in the order of their offsets.
  void ReadSessionBytes() {
    ForEach(RecordKind::kSessionBytes, [this](const Row& row) {
      const auto session = open_or_complete_.find(std::string(row.key.substr(0, kIdSize)));
      if (session == open_or_complete_.end() || session->second.record.answer) return false;
      session->second.bytes.emplace_back(ReadRecord<SessionBytesRecord>(row.fields), ReadSpan(row));
      return true;
    });
  }

  void ReadKeys() {
    ForEach(RecordKind::kHmacKey, [this](const Row& row) {
      keys_.Adopt(ReadRecord<HmacKey>(row.fields));
      return true;
    });
  }

  PieceSpan ReadSpan(const Row& row) {
    const std::size_t begin = ranges_.size();
    ReadPieces(row.pieces, ranges_);
    return {begin, ranges_.size()};
  }

  Rope BytesOf(const PieceSpan& span) {
    Rope bytes;
    bool is_whole = true;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      is_whole = is_whole && extents_[i]->is_there();
      bytes.Append(Rope(extents_[i], ranges_[i].offset, ranges_[i].size));
    }
    if (!is_whole) ++report_.damaged_bodies;
    return bytes;
  }

  void AdoptObjects() {
    for (auto& [recorded, span] : objects_) {
      recorded.object->body = EarlierBody(BytesOf(span), recorded.sums);
      buckets_.at(recorded.bucket)->Adopt(std::move(recorded.object), recorded.is_live);
    }
  }

  void AdoptParts() {
    for (const LoadedPart& loaded : parts_) {
      loaded.upload->Adopt(
          {loaded.part.number, loaded.part.uploaded, EarlierBody(BytesOf(loaded.pieces), loaded.part.sums)});
    }
  }

  // The oldest first: they are removed in this order.
  void AdoptSessions() {
    std::vector<std::pair<std::string, LoadedSession>> sessions(open_or_complete_.begin(), open_or_complete_.end());
    std::stable_sort(sessions.begin(), sessions.end(),
                     [](const auto& a, const auto& b) { return a.second.record.started < b.second.record.started; });
    for (auto& [id, loaded] : sessions) {
      Rope bytes;
      std::uint32_t crc32c = 0;
      for (const auto& [record, span] : loaded.bytes) {
        const Rope piece = BytesOf(span);
        crc32c = CombineCrc32c(crc32c, record.crc32c, piece.size());
        bytes.Append(piece);
      }
      const auto bucket = buckets_.at(loaded.record.bucket);
      if (sessions_.Adopt(id, std::move(loaded.record), bucket, std::move(bytes), crc32c)) continue;
      left_over_.emplace_back(RecordKind::kSession, id);
    }
  }

  void EraseLeftOver() {
    report_.dropped_records = left_over_.size();
    if (left_over_.empty()) return;
    database_.Begin();
    for (const auto& [kind, key] : left_over_) {
      kind == RecordKind::kSession ? database_.ErasePrefix(RecordKind::kSessionBytes, key) : void();
      database_.Erase(kind, key);
    }
    database_.Commit();
  }

  Database& database_;
  BodyFiles& files_;
  Store& store_;
  ResumableSessions& sessions_;
  HmacKeys& keys_;
  LoadReport report_;

  std::map<std::uint64_t, std::shared_ptr<Bucket>> buckets_;
  std::vector<std::pair<RecordedObject, PieceSpan>> objects_;
  std::unordered_map<std::string, std::shared_ptr<MultipartUpload>> uploads_;
  std::vector<LoadedPart> parts_;
  std::unordered_map<std::string, LoadedSession> open_or_complete_;
  std::vector<FileRange> ranges_;
  std::vector<std::shared_ptr<const Extent>> extents_;  // of ranges_
  std::vector<std::pair<RecordKind, std::string>> left_over_;
};

}  // namespace

std::string RenderReport(const LoadReport& report) {
  std::string text;
  if (report.is_after_crash && report.dropped_records + report.dropped_bytes != 0) {
    text = "the last process did not end in order: its data directory had " + std::to_string(report.dropped_records) +
           " records of what is over and " + std::to_string(report.dropped_bytes) +
           " bytes that no record names, which are dropped; nothing that was acknowledged is among them";
  }
  if (report.damaged_bodies != 0) {
    text += (text.empty() ? "" : "; ") + std::to_string(report.damaged_bodies) +
            " bodies in the data directory were cut or are missing: reading them is answered with 500";
  }
  return text;
}

LoadReport LoadStore(Database& database, BodyFiles& files, Store& store, ResumableSessions& sessions, HmacKeys& keys) {
  return Loader(database, files, store, sessions, keys).Load();
}

}  // namespace gcsflux::emulator
