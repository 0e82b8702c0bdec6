#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gcsflux/operation_options.h"
#include "http/transport.h"

// The requests that upload an object's bytes: https://cloud.google.com/storage/docs/json_api/v1/objects/insert
namespace gcsflux::internal {

/// One multipart/related message: the metadata with the data's CRC32C, then the data, which is borrowed.
HttpRequest InsertObjectRequest(std::string_view endpoint, const ObjectName& object, std::span<const std::byte> data,
                                std::uint32_t crc32c, const InsertObjectOptions& options);
/// The start of a resumable upload of unknown length. A session alone makes nothing visible, so the request may be
/// repeated.
HttpRequest StartUploadRequest(std::string_view endpoint, const ObjectName& object, const InsertObjectOptions& options);

}  // namespace gcsflux::internal
