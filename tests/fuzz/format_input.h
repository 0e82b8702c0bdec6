#pragma once

#include <string_view>

#include "gcsflux/formats.h"
#include "input.h"

namespace gcsflux::fuzz {

using emulator::AsText;
using emulator::Require;

/// A file with these bytes, which must outlive it. All reads lie within it.
inline ByteSource SourceOver(std::string_view bytes) {
  ByteSource source = SourceOf("input", std::as_bytes(std::span(bytes)));
  source.read_at = [read = source.read_at](std::uint64_t offset, std::span<std::byte> into) {
    auto done = read(offset, into);
    Require(done.ok(), "what is read lies within the file");
    return done;
  };
  return source;
}

/// Bad bytes give no other errors, and name the file.
inline void RequireRefusal(const Error& error) {
  Require(error.code == ErrorCode::kUndecodable || error.code == ErrorCode::kCorrupted,
          "bad bytes are undecodable or corrupted");
  Require(error.message.starts_with("input: "), "an error names the file");
}

}  // namespace gcsflux::fuzz
