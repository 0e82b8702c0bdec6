#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gcsflux::bench {

/// Where the bytes of a read go.
enum class ReadMemory {
  kReused,     ///< One block per connection.
  kNew,        ///< A new block for each read, freed when the read is done: malloc() gives much of it out again.
  kUntouched,  ///< The same by mmap(): pages that have to be made for each read, as for objects that are kept.
};

struct BareCurlLoopsOptions {
  std::string url = {};
  std::string ca_file = {};     ///< Vouches for https servers.
  std::size_t connections = 2;  ///< A multiple of BareCurlLoops::kThreads.
  std::size_t bytes = 0;        ///< What the object at `url` has.
  ReadMemory memory = ReadMemory::kReused;
};

/// libcurl as an event loop, used as plainly as can be: connections to one URL that two threads drive. Each thread has
/// one multi handle (multi_socket) and one epoll descriptor, so that a read costs no context switch of its own.
class BareCurlLoops {
 public:
  static constexpr int kThreads = 2;  // as many as cores

  explicit BareCurlLoops(const BareCurlLoopsOptions& options);
  ~BareCurlLoops();

  /// GETs the URL `reads` times, copies each body and sums its CRC32C; false where one was not `crc32c`.
  bool Get(int reads, std::uint32_t crc32c);

 private:
  struct Loops;
  std::unique_ptr<Loops> loops_;
};

}  // namespace gcsflux::bench
