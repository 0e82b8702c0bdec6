#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace gcsflux::bench {

/// The baseline: one libcurl handle with its connection, used in the simplest way. One thread at a time.
class BareCurl {
 public:
  /// `ca_file` is the certificate authority for https servers.
  explicit BareCurl(std::string ca_file = {});
  ~BareCurl();

  /// GET into `buffer`; the bytes are neither checked nor summed. False unless the whole body arrives with status 200.
  bool Get(const std::string& url, std::span<std::byte> buffer);
  /// The same, with the CRC32C of the body, summed piece by piece while it is in the cache; nothing if Get() is false.
  std::optional<std::uint32_t> GetWithCrc32c(const std::string& url, std::span<std::byte> buffer);
  /// GET into a string, whose content is replaced. False unless the status is 200.
  bool Get(const std::string& url, std::string& text);
  /// POST of `body`. False unless the status is 200.
  bool Post(const std::string& url, std::span<const std::byte> body);
  /// PUT, likewise.
  bool Put(const std::string& url, std::span<const std::byte> body);

 private:
  struct Handle;
  bool Send(const char* method, const std::string& url, std::span<const std::byte> body);
  bool Get(const std::string& url, std::span<std::byte> buffer, bool is_summed);

  const std::string ca_file_;
  std::unique_ptr<Handle> handle_;
};

}  // namespace gcsflux::bench
