#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gcsflux::bench {

/// The memory that reads write into.
enum class ReadMemory {
  kReused,     ///< One block per connection.
  kNew,        ///< A new block for each read, freed after the read: malloc() reuses most of it.
  kUntouched,  ///< The same by mmap(): fresh pages for each read, as for objects that are kept.
};

struct BareCurlLoopsOptions {
  std::string url = {};
  std::string ca_file = {};     ///< The certificate authority for https servers.
  std::size_t connections = 2;  ///< A multiple of BareCurlLoops::kThreads.
  std::size_t bytes = 0;        ///< The size of the object at `url`.
  ReadMemory memory = ReadMemory::kReused;
};

/// libcurl as an event loop, used in the simplest way: two threads drive connections to one URL. Each thread has one
/// multi handle (multi_socket) and one epoll descriptor, so that a read costs no context switch of its own.
class BareCurlLoops {
 public:
  static constexpr int kThreads = 2;  // as many as cores

  explicit BareCurlLoops(const BareCurlLoopsOptions& options);
  ~BareCurlLoops();

  /// GETs the URL `reads` times, copies each body and sums its CRC32C; false if one is not `crc32c`.
  bool Get(int reads, std::uint32_t crc32c);

 private:
  struct Loops;
  std::unique_ptr<Loops> loops_;
};

}  // namespace gcsflux::bench
