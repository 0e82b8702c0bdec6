#include "bodies/gunzip.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "http/trim.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

}  // namespace

struct Inflater::State {
  State() { Reset(); }

  void Reset() {
    isal_inflate_init(&library);
    library.crc_flag = ISAL_GZIP;  // this also checks the member's own CRC and length
  }
  void ResetKeepingInput() {
    std::uint8_t* const next = library.next_in;
    const std::uint32_t available = library.avail_in;
    Reset();
    library.next_in = next;
    library.avail_in = available;
  }

  inflate_state library{};
  std::vector<std::byte> buffer = std::vector<std::byte>(kBufferBytes);
};

Inflater::Inflater() : state_(std::make_unique<State>()) {}
Inflater::~Inflater() = default;

bool Inflater::Feed(std::span<const std::byte> input, const ResponseSink& sink) {
  inflate_state& library = state_->library;
  // The library only reads it, but its declaration lacks const.
  library.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(input.data()));
  library.avail_in = static_cast<std::uint32_t>(input.size());
  bool is_full = true;
  while (library.avail_in != 0 || is_full) {
    if (library.block_state == ISAL_BLOCK_FINISH) {
      if (library.avail_in == 0) return true;
      state_->ResetKeepingInput();
    }
    library.next_out = reinterpret_cast<std::uint8_t*>(state_->buffer.data());
    library.avail_out = kBufferBytes;
    if (isal_inflate(&library) != ISAL_DECOMP_OK) return false;
    const std::size_t produced = kBufferBytes - library.avail_out;
    if (produced != 0 && !sink(std::span(state_->buffer).first(produced))) return false;
    is_full = library.avail_out == 0;
  }
  return true;
}

bool Inflater::is_finished() const { return state_->library.block_state == ISAL_BLOCK_FINISH; }

bool AcceptsGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const std::string_view item = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(item.size() + 1, accept_encoding.size()));
    const std::size_t semicolon = std::min(item.find(';'), item.size());
    const std::string_view quality = Trim(item.substr(std::min(semicolon + 1, item.size())));
    const bool is_refused = quality.starts_with("q=0") && quality.find_first_of("123456789") == std::string_view::npos;
    if (Trim(item.substr(0, semicolon)) == "gzip" && !is_refused) return true;
  }
  return false;
}

bool IsGzip(const Rope& bytes) { return bytes.size() >= 2 && bytes.Slice(0, 2).ToString() == "\x1f\x8b"; }

bool Gunzip(const Rope& bytes, const ResponseSink& sink) {
  Inflater inflater;
  return bytes.ForEachSpan(0, bytes.size(), [&](std::span<const std::byte> span) {
    return inflater.Feed(span, sink);
  }) && inflater.is_finished();
}

}  // namespace gcsflux::emulator
