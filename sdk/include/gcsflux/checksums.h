#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"
#include "gcsflux/download.h"

// CRC32C of bytes, as Cloud Storage shows it in ObjectMetadata::crc32c. All functions are thread-safe.
namespace gcsflux {

/// CRC32C of `bytes`. If others came before them, `before` is the CRC32C of those.
std::uint32_t Crc32cOf(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// CRC32C of a regular file. Returns kLocalIo if it cannot be read, and kCancelled if it is stopped.
Result<std::uint32_t> Crc32cOfFile(const std::string& path, const std::stop_token& stop = {});

/// For code that reads an object in ranges: compares the CRC32C of all bytes that came with the object's. Returns
/// kCorrupted if they differ. If the service gave no CRC32C, the client's listener is told of an unverified read; under
/// ClientOptions::require_checksum the result is kUnverified.
Result<void> CompareWithObject(const Client& client, const DownloadSource& source, std::uint32_t crc32c);

}  // namespace gcsflux
