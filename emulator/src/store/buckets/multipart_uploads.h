#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "base/time_source.h"
#include "store/buckets/bucket_records.h"
#include "store/bytes/body.h"
#include "store/log/change_log.h"
#include "store/log/name_locks.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

// https://cloud.google.com/storage/quotas#requests
inline constexpr int kMaxPartNumber = 10'000;
inline constexpr std::uint64_t kMinPartSize = std::uint64_t{5} << 20;  ///< The last part may be smaller.
inline constexpr std::uint64_t kMaxPartSize = std::uint64_t{5} << 30;

enum class MultipartFailure {
  kNoSuchUpload,      ///< It was never begun, was aborted, or is complete.
  kBeingCompleted,    ///< Another request completes it, with an outcome that is not known yet.
  kInvalidPart,       ///< The completion names a part that does not exist or is another one.
  kInvalidPartOrder,  ///< The completion names parts that do not ascend.
  kTooSmall,          ///< The completion names a part below the least size that is not the last.
  kUnavailable,       ///< The change cannot be written to disk.
};

/// A part, as a client names it when it completes an upload.
struct PartReference {
  int number = 0;
  std::optional<Md5Digest> md5 = {};  ///< Unset if the name is not that of any possible part.
};

struct PartPage {
  std::vector<UploadPart> parts = {};
  bool is_truncated = false;
};

/// The state of an upload at one moment.
struct UploadSnapshot {
  UploadRecord upload = {};
  std::vector<UploadPart> parts = {};
};

/// One upload whose parts arrive in any order and over many connections at once. Thread-safe.
class MultipartUpload {
 public:
  MultipartUpload(UploadRecord upload, TimeSource clock, const BucketLog& log)
      : upload_(std::move(upload)), clock_(std::move(clock)), log_(log) {}

  [[nodiscard]] const ObjectAttributes& attributes() const { return upload_.attributes; }
  [[nodiscard]] const ObjectEncryption& encryption() const { return upload_.encryption; }
  [[nodiscard]] Time initiated() const { return upload_.initiated; }

  /// Stores a part. Replaces one of the same number.
  tl::expected<void, MultipartFailure> PutPart(int number, BodyPtr body);
  /// Parts above number `after`, in order.
  [[nodiscard]] PartPage ListParts(int after, std::size_t max_parts) const;

  /// The parts joined, in O(segments). Until EndComplete no other caller gets them, and the upload does not change.
  tl::expected<BodyPtr, MultipartFailure> BeginComplete(std::span<const PartReference> parts);
  /// If the object was stored, the upload is over and releases its parts. Else it is open again.
  void EndComplete(bool is_stored);

  tl::expected<void, MultipartFailure> Abort();

  /// What is recorded when it is complete.
  [[nodiscard]] Change EndRecord() const { return log_.EraseUpload(upload_.id); }
  /// Adds a part that is recorded already.
  void Adopt(UploadPart part);
  [[nodiscard]] UploadSnapshot Capture() const;

 private:
  enum class State { kOpen, kCompleting, kOver };

  tl::expected<void, MultipartFailure> RecordPart(const UploadPart& part);
  [[nodiscard]] tl::expected<void, MultipartFailure> CheckOpenLocked() const;
  [[nodiscard]] tl::expected<std::vector<BodyPtr>, MultipartFailure> SelectLocked(
      std::span<const PartReference> parts) const;

  const UploadRecord upload_;
  const TimeSource clock_;
  const BucketLog log_;
  NameLocks part_numbers_;  // held while a part is recorded

  mutable std::mutex mutex_;  // guards what follows
  State state_ = State::kOpen;
  std::map<int, UploadPart> parts_;
};

/// The object that an upload will become, and the upload's id. Ordered by both.
struct UploadName {
  std::string object = {};
  std::string id = {};

  friend auto operator<=>(const UploadName&, const UploadName&) = default;  // NOLINT(modernize-use-nullptr)
};

struct UploadQuery {
  std::string prefix = {};
  std::string delimiter = {};
  std::string key_marker = {};        ///< Uploads of objects after this name;
  std::string upload_id_marker = {};  ///< with it, also those of this name with ids after this one.
  std::size_t max_uploads = 1000;     ///< Uploads and prefixes together.
};

struct UploadPage {
  std::vector<std::pair<UploadName, std::shared_ptr<const MultipartUpload>>> uploads = {};
  std::vector<std::string> prefixes = {};
  std::optional<UploadName> next = {};  ///< Set if there is more to list: the markers of the next page.
};

/// The uploads in progress of one bucket. They exist until they are completed or aborted. Thread-safe.
class MultipartUploads {
 public:
  /// `seed` is for the ids. A client can guess an id only if it can guess the seed.
  MultipartUploads(TimeSource clock, std::uint64_t seed, const BucketLog& log = {})
      : clock_(std::move(clock)), log_(log), random_(seed) {}

  /// Returns the new upload's id. The ids of one object ascend with time.
  Outcome<std::string> Start(const std::string& object, ObjectAttributes attributes, ObjectEncryption encryption = {});
  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<MultipartUpload> Find(const UploadName& name) const;
  void Remove(const UploadName& name);
  [[nodiscard]] UploadPage List(const UploadQuery& query) const;
  /// Adds an upload that is recorded already.
  std::shared_ptr<MultipartUpload> Adopt(UploadRecord upload);
  [[nodiscard]] std::vector<UploadSnapshot> Capture() const;

 private:
  std::string NewId(Time initiated);

  const TimeSource clock_;
  const BucketLog log_;

  mutable std::mutex mutex_;  // guards what follows
  std::mt19937_64 random_;
  std::map<UploadName, std::shared_ptr<MultipartUpload>> uploads_;
};

}  // namespace gcsflux::emulator
