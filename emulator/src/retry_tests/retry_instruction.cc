#include "retry_tests/retry_instruction.h"

#include <charconv>

namespace gcsflux::emulator {
namespace {

using Kind = RetryInstruction::Kind;

// Reads a text from its front. A failed step leaves it unchanged.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  // Below 2^40, so that a number of KiB does not overflow.
  std::optional<std::uint64_t> TakeNumber() {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc() || number >= std::uint64_t{1} << 40) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return number;
  }
  // "YK" at the end, in bytes.
  std::optional<std::uint64_t> TakeLastKibibytes() {
    const std::optional<std::uint64_t> number = TakeNumber();
    return number && Take("K") && IsAtEnd() ? std::optional(*number << 10) : std::nullopt;
  }
  [[nodiscard]] bool IsAtEnd() const { return text_.empty(); }

 private:
  std::string_view text_;
};

std::optional<RetryInstruction> ParseBrokenStream(Reader text) {
  if (text.IsAtEnd()) return RetryInstruction{.kind = Kind::kBrokenStream};
  if (text.Take("-final-chunk-after-")) {
    const std::optional<std::uint64_t> bytes = text.TakeNumber();
    if (!bytes || !text.Take("B") || !text.IsAtEnd()) return std::nullopt;
    return RetryInstruction{.kind = Kind::kBrokenFinalChunk, .bytes = *bytes};
  }
  if (!text.Take("-after-")) return std::nullopt;
  const std::optional<std::uint64_t> bytes = text.TakeLastKibibytes();
  if (!bytes) return std::nullopt;
  return RetryInstruction{.kind = Kind::kBrokenStreamAfter, .bytes = *bytes};
}

std::optional<RetryInstruction> ParseStatus(Reader text) {
  const std::optional<std::uint64_t> status = text.TakeNumber();
  if (!status || *status < 100 || *status > 599) return std::nullopt;
  if (text.IsAtEnd()) return RetryInstruction{.kind = Kind::kReturnStatus, .status = static_cast<int>(*status)};
  if (!text.Take("-after-")) return std::nullopt;
  const std::optional<std::uint64_t> bytes = text.TakeLastKibibytes();
  if (!bytes) return std::nullopt;
  return RetryInstruction{.kind = Kind::kStatusAfter, .status = static_cast<int>(*status), .bytes = *bytes};
}

std::optional<RetryInstruction> ParseStall(Reader text) {
  const std::optional<std::uint64_t> seconds = text.TakeNumber();
  if (!seconds || *seconds > 86'400 || !text.Take("s-after-")) return std::nullopt;
  const std::optional<std::uint64_t> bytes = text.TakeLastKibibytes();
  if (!bytes) return std::nullopt;
  return RetryInstruction{.kind = Kind::kStallAfter, .bytes = *bytes, .stall = std::chrono::seconds(*seconds)};
}

}  // namespace

std::optional<RetryInstruction> ParseRetryInstruction(std::string_view text) {
  constexpr std::string_view kUnreachable = "return-unreachable-buckets-";
  if (text.starts_with(kUnreachable) && text.size() > kUnreachable.size()) {
    return RetryInstruction{.kind = Kind::kUnreachableBuckets,
                            .buckets = std::string(text.substr(kUnreachable.size()))};
  }
  if (text == "return-reset-connection") return RetryInstruction{.kind = Kind::kResetConnection};
  Reader reader(text);
  if (reader.Take("return-broken-stream")) return ParseBrokenStream(reader);
  if (reader.Take("stall-for-")) return ParseStall(reader);
  if (reader.Take("return-")) return ParseStatus(reader);
  return std::nullopt;
}

}  // namespace gcsflux::emulator
