#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "wire/multipart_types.h"

namespace gcsflux {

/// An object sent as parts, in any order and from many threads, which are joined at the end.
///
/// NO PRECONDITIONS: Cloud Storage has none for these uploads. Complete() replaces any object that is live under the
/// name. If its answer is lost and another object is there afterwards, it is unknown whether another writer replaced
/// the new object: kOutcomeUnknown, unless that object is older (see WriteMode). So use it only for names that no other
/// writer uses, such as shards and parts with unique names. Make them visible under a name that others watch by
/// ComposeObjects or InsertObject with a precondition. For everything else use UploadObject or ObjectWriter.
///
/// Parts have 5 MiB to 5 GiB; the last one may be smaller. Numbers are 1 to 10,000 and need not be consecutive. The
/// service checks the CRC32C of each part. At the end the object's size and CRC32C are compared with those of all
/// parts. Parts cost storage until Complete() or Abort(). If the answer to the first request is lost, an upload without
/// parts remains; a bucket's lifecycle rule AbortIncompleteMultipartUpload removes such uploads.
///
/// UploadPart, KeepPart and ListParts are thread-safe. Call the other methods only when no other call is under way.
/// Movable; the calls of one that was moved from return kInvalidArgument. If it is destroyed before Complete() or
/// Suspend(), it aborts the upload, which takes 2 s at most.
///
/// Error::outcome is about the object: only Complete() can store it, so errors of the other calls say kNotStored.
class MultipartUpload {
 public:
  static Result<MultipartUpload> Start(Client client, ObjectName object, MultipartOptions options = {});
  /// Continues an upload that this process or another one has started, with the key and the kms_key_name of its start.
  /// Makes no request. ListParts() tells which parts the service holds; if the upload is gone, it returns
  /// kSessionLost. Complete() joins the parts that were sent or kept through this object.
  static Result<MultipartUpload> Resume(Client client, ObjectName object, std::string upload_id,
                                        MultipartOptions options = {});
  MultipartUpload(MultipartUpload&&) noexcept;
  MultipartUpload& operator=(MultipartUpload&&) noexcept;
  ~MultipartUpload();

  /// Sends one part. If the number was sent before, the new part replaces the old one; therefore the request is always
  /// retried. `data` is borrowed. Returns kSessionLost if another process aborted or completed the upload. For each
  /// number, one thread at a time.
  Result<void> UploadPart(int number, std::span<const std::byte> data, std::stop_token stop = {}) const;

  /// Uses a part that the service holds, one of ListParts(), instead of sending it. `crc32c` is the CRC32C of the bytes
  /// that the part must have; Complete() finds out if it has others.
  Result<void> KeepPart(const ListedPart& part, std::uint32_t crc32c) const;

  /// All parts that the service holds, by number.
  Result<std::vector<ListedPart>> ListParts() const;

  /// For Resume().
  [[nodiscard]] const std::string& upload_id() const;

  /// Ends this object and keeps the upload with its parts, which cost storage, for Resume(). After Complete() or
  /// Abort() it does nothing.
  void Suspend();

  /// Joins the parts that were uploaded or kept through this object, by number.
  ///
  /// Returns kCorrupted if the service stored another object than the parts give. If the service named the generation,
  /// exactly that generation is deleted. If it did not, or the deletion fails, the message says which generation
  /// remains. Returns kBadResponse if an answer is about another object. Returns kInvalidArgument if a part is too
  /// small; the upload stays, and more parts may follow. Returns kSessionLost if another process aborted or completed
  /// the upload. Returns kOutcomeUnknown if the upload may have been completed, and the object cannot be found to
  /// confirm it. If the object was made, and could not be confirmed, Error::outcome is kStored.
  Result<ObjectMetadata> Complete();

  /// Deletes all parts. After the first success it does nothing.
  Result<void> Abort();

 private:
  class Upload;
  explicit MultipartUpload(std::unique_ptr<Upload> upload);
  std::unique_ptr<Upload> upload_;
};

struct OngoingUploadOptions {
  CallOptions call = {};
  std::stop_token stop = {};
};

/// Lists the ongoing multipart uploads of a bucket whose object names begin with `prefix.name`, by name. Needs the
/// permission storage.multipartUploads.list. Returns kBadResponse for a repeated page, or a name outside of the prefix.
Result<std::vector<OngoingUpload>> ListMultipartUploads(const Client& client, const ObjectName& prefix,
                                                        const OngoingUploadOptions& options = {});

/// Aborts an upload of any process and deletes its parts. A writer that still uses the upload fails with kSessionLost.
/// If the upload is already gone, it succeeds.
Result<void> AbortMultipartUpload(const Client& client, const OngoingUpload& upload,
                                  const OngoingUploadOptions& options = {});

}  // namespace gcsflux
