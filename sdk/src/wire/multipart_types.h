#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/operation_options.h"

// XML multipart uploads: https://cloud.google.com/storage/docs/multipart-uploads
namespace gcsflux {

/// Options of XML multipart uploads: https://cloud.google.com/storage/docs/multipart-uploads
struct MultipartOptions {
  /// Sent as headers: ASCII only, no holds. The keys of the metadata come back in lower case.
  ObjectAttributes attributes = {};
  std::optional<EncryptionKey> encryption_key = {};  ///< As for InsertObject; kms_key_name likewise.
  std::optional<std::string> kms_key_name = {};
  CallOptions call = {};
  std::stop_token stop = {};
};

/// A part that the service holds.
struct ListedPart {
  int number = 0;
  std::uint64_t size = 0;
  std::string etag = {};

  friend bool operator==(const ListedPart&, const ListedPart&) = default;
};

/// An XML multipart upload that was neither completed nor aborted. Its parts cost storage.
struct OngoingUpload {
  ObjectName object = {};
  std::string upload_id = {};
  std::chrono::system_clock::time_point initiated = {};
};

}  // namespace gcsflux
