#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/bytes/little_endian.h"

namespace gcsflux::internal {

/// The opcodes of a pickle of protocol 2, as they are written. After a failure, the pickle is not complete.
class PickleOutput {
 public:
  void Fail(std::string why) {
    if (!why_) why_ = std::move(why);
  }

  void PutInteger(std::int64_t value) {
    if (value >= 0 && value <= 0xFF) {
      pickle_ += 'K';
      AppendLittleEndian(pickle_, static_cast<std::uint8_t>(value));
    } else if (value >= 0 && value <= 0xFFFF) {
      pickle_ += 'M';
      AppendLittleEndian(pickle_, static_cast<std::uint16_t>(value));
    } else if (value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max()) {
      pickle_ += 'J';
      AppendLittleEndian(pickle_, static_cast<std::int32_t>(value));
    } else {
      std::string bytes;
      AppendLittleEndian(bytes, value);
      PutLong(bytes);
    }
  }

  void PutLong(std::string_view bytes) {
    if (bytes.size() > 0xFF) return Fail("an int has more than 255 bytes");
    pickle_ += '\x8A';
    AppendLittleEndian(pickle_, static_cast<std::uint8_t>(bytes.size()));
    pickle_ += bytes;
  }

  void PutText(std::string_view text) {
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) return Fail("a text is longer than 4 GiB");
    pickle_ += 'X';
    AppendLittleEndian(pickle_, static_cast<std::uint32_t>(text.size()));
    pickle_ += text;
  }

  void BeginTuple(std::size_t count) {
    if (count > 3) pickle_ += '(';
  }
  void EndTuple(std::size_t count) {
    constexpr std::string_view kCodes = {")\x85\x86\x87", 4};
    pickle_ += count > 3 ? 't' : kCodes[count];
  }

  /// As a tuple.
  void PutNumbers(const std::vector<std::int64_t>& numbers) {
    BeginTuple(numbers.size());
    for (const std::int64_t number : numbers) PutInteger(number);
    EndTuple(numbers.size());
  }

  void PutGlobal(std::string_view module, std::string_view name) {
    std::string line = std::string(module).append("\n").append(name).append("\n");
    PutRemembered(line, [&] { pickle_.append("c").append(line); });
  }

  void PutFixedText(std::string_view text) {
    PutRemembered(std::string(text), [&] { PutText(text); });
  }

 protected:
  std::string pickle_;
  std::optional<std::string> why_;  ///< The first failure.

 private:
  // In full the first time, then by its number.
  template <class Write>
  void PutRemembered(std::string name, Write write) {
    const auto [known, is_new] = memo_.try_emplace(std::move(name), static_cast<std::uint32_t>(memo_.size()));
    if (is_new) write();
    const bool is_short = known->second <= 0xFF;
    pickle_ += is_new ? (is_short ? 'q' : 'r') : (is_short ? 'h' : 'j');
    if (is_short) {
      AppendLittleEndian(pickle_, static_cast<std::uint8_t>(known->second));
    } else {
      AppendLittleEndian(pickle_, known->second);
    }
  }

  std::unordered_map<std::string, std::uint32_t> memo_;
};

}  // namespace gcsflux::internal
