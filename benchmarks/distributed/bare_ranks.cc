#include "distributed/bare_ranks.h"

#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include "bare_curl.h"

namespace gcsflux::bench {

BareTransfer::BareTransfer(const BareRank& rank)
    : rank_(rank),
      object_bytes_(static_cast<std::size_t>(rank.bytes) / static_cast<std::size_t>(rank.connections)),
      memory_(static_cast<std::size_t>(rank.bytes), 'x') {}

template <class Move>
bool BareTransfer::OnAllConnections(const Move& move) {
  std::atomic<bool> is_whole = true;
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(rank_.connections));
  for (int i = 0; i < rank_.connections; ++i) {
    threads.emplace_back([&, i] {
      BareCurl curl;
      const auto bytes = std::as_writable_bytes(std::span(memory_));
      const auto own = bytes.subspan(static_cast<std::size_t>(i) * object_bytes_, object_bytes_);
      if (!move(curl, rank_.prefix + std::to_string(i), own)) is_whole = false;
    });
  }
  threads.clear();
  return is_whole;
}

bool BareTransfer::Write() {
  return OnAllConnections([&](BareCurl& curl, const std::string& name, std::span<std::byte> own) {
    return curl.Post(rank_.endpoint + "/upload/storage/v1/b/bench/o?uploadType=media&name=" + name, own);
  });
}

bool BareTransfer::Read() {
  return OnAllConnections([&](BareCurl& curl, const std::string& name, std::span<std::byte> own) {
    return curl.Get(rank_.endpoint + "/bench/" + name, own);
  });
}

}  // namespace gcsflux::bench
