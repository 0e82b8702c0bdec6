#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"

namespace gcsflux {

/// What XML multipart uploads are given: https://cloud.google.com/storage/docs/multipart-uploads
struct MultipartOptions {
  /// Sent as headers: ASCII only, no holds; the keys of the metadata come back in lower case.
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< As for InsertObject; kms_key_name likewise.
  std::string kms_key_name = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// A part as the service has it.
struct ListedPart {
  int number = 0;
  std::uint64_t size = 0;
  std::string etag = {};

  friend bool operator==(const ListedPart&, const ListedPart&) = default;
};

/// An object sent as parts, in any order and from many threads, and put together at the end.
///
/// NO PRECONDITIONS: Cloud Storage knows none for these uploads. Complete() replaces whatever object is live under the
/// name. Where its answer is lost and another object is there afterwards, it cannot be known whether a rival replaced
/// what was made: kOutcomeUnknown, unless that object is older (see WriteMode). So use it for names that no other
/// writes, shards and parts with a unique name say, and make them visible under a name that others watch by
/// ComposeObjects or InsertObject with a precondition. Everything else is UploadObject's and ObjectWriter's.
///
/// Parts are 5 MiB to 5 GiB, the last one may be smaller; numbers are 1 to 10,000 and need not be consecutive. Each has
/// its CRC32C checked by the service, and the object's size and CRC32C are compared with those of all parts at the end.
/// Parts that were sent cost storage until Complete() or Abort(). An upload that was started by a request whose answer
/// was lost stays behind without parts: a bucket's lifecycle rule AbortIncompleteMultipartUpload clears such away.
///
/// UploadPart and ListParts are thread-safe; the others are called when no other call is under way. Movable. Destroyed
/// before Complete(), it aborts, for which it takes 2 s at most.
class MultipartUpload {
 public:
  static Result<MultipartUpload> Start(Client client, ObjectName object, MultipartOptions options = {});
  MultipartUpload(MultipartUpload&&) noexcept;
  MultipartUpload& operator=(MultipartUpload&&) noexcept;
  ~MultipartUpload();

  /// Sends one part; the same number again replaces it. It is repeated freely, since that changes nothing. `data` is
  /// borrowed. kSessionLost where the upload was aborted or completed by another writer. One thread at a time for one
  /// number.
  Result<void> UploadPart(int number, std::span<const std::byte> data, std::stop_token stop = {}) const;

  /// All parts that the service has, by number.
  Result<std::vector<ListedPart>> ListParts() const;

  /// Puts the parts that were uploaded through this object together, by number. kCorrupted where the service made
  /// something else of them. Just that generation is deleted then, if the service has named it; else, and if the
  /// deletion fails, the message says which generation remains. kBadResponse where an answer is about another object.
  /// kInvalidArgument (nothing is lost, more parts may come) where one of them is too small. kSessionLost where the
  /// upload was aborted, or completed by another writer. kOutcomeUnknown where it may have been completed, and what was
  /// made is no longer there to be looked at.
  Result<ObjectMetadata> Complete();

  /// Forgets all parts; one that has been aborted is not aborted again.
  Result<void> Abort();

 private:
  class Upload;
  explicit MultipartUpload(std::unique_ptr<Upload> upload);
  std::unique_ptr<Upload> upload_;
};

struct ParallelUploadOptions {
  MultipartOptions multipart = {};
  /// At least 5 MiB, and raised where 10,000 parts would not do. Of a file, so much memory is held for each part in
  /// flight. Raise it for long, fast networks (each part costs a round trip); lower it where memory is short.
  std::size_t part_bytes = 32U << 20;
  /// Parts in flight, from 1 to kMaxConcurrency. Raise it until the network is full: each has a thread and a
  /// connection.
  int max_concurrency = 8;
};

/// Stores `data` by parts that are sent at the same time. Nothing stays behind where it fails. The same warning holds:
/// no preconditions, so only for names that nobody else writes.
Result<ObjectMetadata> UploadObjectInParallel(const Client& client, const ObjectName& object,
                                              std::span<const std::byte> data,
                                              const ParallelUploadOptions& options = {});

/// The same of a regular file; kLocalIo as UploadFile has it.
Result<ObjectMetadata> UploadFileInParallel(const Client& client, const std::string& path, const ObjectName& object,
                                            const ParallelUploadOptions& options = {});

}  // namespace gcsflux
