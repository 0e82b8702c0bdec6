#pragma once

#include <optional>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// The request with `x-goog-` for each `x-amz-` at the beginning of a header's name, except for names that it has in
/// both forms. Nothing if no header begins so.
///
/// GCS understands both in requests that clients of S3 sign: https://cloud.google.com/storage/docs/migrating
std::optional<HttpRequest> WithGoogHeaders(const HttpRequest& request);

/// Whether its Authorization is in S3's form. A client that signs by version 2 may send no x-amz- header.
bool IsSignedForS3(const HttpRequest& request);

/// Adds an `x-amz-meta-` for each `x-goog-meta-`, because such a client looks for them.
void AddAmzMetadata(HttpHeaders& headers);

/// Whether the body has S3's own chunks, with signatures or checksums between the bytes.
bool IsAwsChunked(const HttpHeaders& headers);

}  // namespace gcsflux::emulator
