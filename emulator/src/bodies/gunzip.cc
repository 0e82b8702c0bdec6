#include "bodies/gunzip.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "http/trim.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kRoom = std::size_t{64} << 10;

class Inflater {
 public:
  Inflater() { Reset(); }

  // Delivers the content of `input`, which may be many members or a part of one.
  bool Feed(std::span<const std::byte> input, const ResponseSink& sink) {
    // The library only reads it, but its declaration lacks const.
    state_->next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(input.data()));
    state_->avail_in = static_cast<std::uint32_t>(input.size());
    bool is_full = true;
    while (state_->avail_in != 0 || is_full) {
      if (state_->block_state == ISAL_BLOCK_FINISH) {
        if (state_->avail_in == 0) return true;
        ResetKeepingInput();
      }
      state_->next_out = reinterpret_cast<std::uint8_t*>(room_.data());
      state_->avail_out = kRoom;
      if (isal_inflate(state_.get()) != ISAL_DECOMP_OK) return false;
      const std::size_t produced = kRoom - state_->avail_out;
      if (produced != 0 && !sink(std::span(room_).first(produced))) return false;
      is_full = state_->avail_out == 0;
    }
    return true;
  }

  [[nodiscard]] bool is_finished() const { return state_->block_state == ISAL_BLOCK_FINISH; }

 private:
  void Reset() {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;  // this also checks the member's own CRC and length
  }
  void ResetKeepingInput() {
    std::uint8_t* const next = state_->next_in;
    const std::uint32_t available = state_->avail_in;
    Reset();
    state_->next_in = next;
    state_->avail_in = available;
  }

  std::unique_ptr<inflate_state> state_ = std::make_unique<inflate_state>();
  std::vector<std::byte> room_ = std::vector<std::byte>(kRoom);
};

}  // namespace

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
