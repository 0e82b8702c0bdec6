#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gcsflux::bench {

/// libcurl as an event loop: connections to one URL that two threads drive, each half of them through one multi handle,
/// without the context switch per read that a thread per connection costs.
class BareCurlLoops {
 public:
  static constexpr int kThreads = 2;  // as many as cores

  /// `connections` is a multiple of kThreads; what is there has `bytes` bytes.
  BareCurlLoops(const std::string& url, const std::string& ca_file, std::size_t connections, std::size_t bytes);
  ~BareCurlLoops();

  /// GETs the URL `reads` times, copies each body and sums its CRC32C; false where one was not `crc32c`.
  bool Get(int reads, std::uint32_t crc32c);

 private:
  struct Loops;
  std::unique_ptr<Loops> loops_;
};

}  // namespace gcsflux::bench
