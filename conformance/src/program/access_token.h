#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/or_error.h"

namespace gcsflux::conformance {

/// The access token of a file. Tokens expire within an hour, so the file may be replaced during a run.
/// Thread-safe.
class AccessToken {
 public:
  /// An empty path gives no token.
  explicit AccessToken(std::string path) : path_(std::move(path)) {}

  /// Reads the file. An error if it cannot be read or holds no token.
  OrError<void> Load();
  /// The token; if the file has changed, it is read again. A file that is being written keeps the last token.
  std::string Current();
  /// `text` without any token that was read, and without other secrets: Redact().
  std::string RedactIn(std::string text) const;

 private:
  const std::string path_;
  mutable std::mutex mutex_;  // guards what follows
  std::filesystem::file_time_type written_ = {};
  std::vector<std::string> tokens_;  ///< All that were read; the last one is used.
};

}  // namespace gcsflux::conformance
