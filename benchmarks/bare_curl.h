#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace gcsflux::bench {

/// The baseline: one libcurl handle with its connection, used as plainly as can be. One thread at a time.
class BareCurl {
 public:
  BareCurl();
  ~BareCurl();

  /// GET into `buffer`, whose bytes are neither checked nor summed. False unless it came whole, with status 200.
  bool Get(const std::string& url, std::span<std::byte> buffer);
  /// GET into a string; nothing unless the status is 200.
  std::optional<std::string> Get(const std::string& url);
  /// POST of `body`. False unless the status is 200.
  bool Post(const std::string& url, std::span<const std::byte> body);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace gcsflux::bench
