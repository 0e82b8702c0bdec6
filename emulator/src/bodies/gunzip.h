#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "http/http_message.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// Reads gzip members, piece by piece. One thread.
class Inflater {
 public:
  Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater();

  /// Delivers the content of `input`, which may be many members or a part of one. Returns false if it is corrupt, or if
  /// the sink returns false.
  bool Feed(std::span<const std::byte> input, const ResponseSink& sink);
  /// The last member was whole.
  [[nodiscard]] bool is_finished() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether an Accept-Encoding header accepts gzip.
bool AcceptsGzip(std::string_view accept_encoding);

/// Whether the bytes begin like gzip.
bool IsGzip(const Rope& bytes);

/// Delivers the content of the gzip members in `bytes`. Returns false if they are corrupt, or if the sink returns
/// false.
bool Gunzip(const Rope& bytes, const ResponseSink& sink);

}  // namespace gcsflux::emulator
