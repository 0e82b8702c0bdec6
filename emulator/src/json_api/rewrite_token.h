#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gcsflux::emulator {

/// The description of a rewrite in several calls. All of it must be the same in each call.
struct RewriteName {
  std::string source_bucket = {};
  std::string source_object = {};
  std::int64_t source_generation = 0;
  std::string destination_bucket = {};
  std::string destination_object = {};
  std::uint64_t bytes_per_call = 0;
};

/// Stands for `rewritten` bytes of that rewrite. Opaque to clients, and safe in a URL as it is.
std::string EncodeRewriteToken(const RewriteName& rewrite, std::uint64_t rewritten);
/// The bytes rewritten so far. Nothing if the token does not belong to this rewrite.
std::optional<std::uint64_t> DecodeRewriteToken(const RewriteName& rewrite, std::string_view token);

}  // namespace gcsflux::emulator
