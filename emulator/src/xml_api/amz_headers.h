#pragma once

#include <optional>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// The request with `x-goog-` for each `x-amz-` that its headers' names begin with, and without those that have the
/// new name already; nothing where none does.
///
/// GCS understands both in what clients of S3 sign: https://cloud.google.com/storage/docs/migrating
std::optional<HttpRequest> WithGoogHeaders(const HttpRequest& request);

/// Whether its Authorization is one of S3's: a client that signs by version 2 sends no header of that name otherwise.
bool IsSignedForS3(const HttpRequest& request);

/// Adds an `x-amz-meta-` for each `x-goog-meta-`: what such a client looks for.
void AddAmzMetadata(HttpHeaders& headers);

/// Whether the body comes in S3's own chunks, with signatures or checksums between the bytes.
bool IsAwsChunked(const HttpHeaders& headers);

}  // namespace gcsflux::emulator
