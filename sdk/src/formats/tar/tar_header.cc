#include "formats/tar/tar_header.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <string_view>

#include "formats/tar/tar_parser.h"

namespace gcsflux::internal {
namespace {

// POSIX.1-2017, pax, "ustar Interchange Format".
struct Field {
  std::size_t begin;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUser{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Field kMagic{257, 8};
constexpr Field kPrefix{345, 155};

constexpr std::uint64_t kMostOctal = 077777777777;  // What the 11 digits of the size can tell: 8 GiB - 1.

Error Refused(const std::string& why) { return {ErrorCode::kUndecodable, why}; }

std::string_view TextAt(std::string_view block, Field field) {
  const std::string_view text = block.substr(field.begin, field.size);
  return text.substr(0, text.find('\0'));
}

// Digits between spaces, ended by a space or a zero byte; all of them may be missing.
std::optional<std::uint64_t> OctalAt(std::string_view block, Field field) {
  std::string_view text = TextAt(block, field);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find(' '));
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

// GNU's base 256 of sizes from 8 GiB on: the first bit is set, the others are a number, big-endian.
std::optional<std::uint64_t> NumberAt(std::string_view block, Field field) {
  const std::string_view text = block.substr(field.begin, field.size);
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return OctalAt(block, field);
  if (first != 0x80) return std::nullopt;  // Negative, or above 2^88.
  std::uint64_t value = 0;
  for (const char c : text.substr(1)) {
    if (value > std::numeric_limits<std::uint64_t>::max() >> 8) return std::nullopt;
    value = (value << 8) | static_cast<unsigned char>(c);
  }
  return value;
}

// The sum of 512 bytes, eight at a time: half of what a header costs.
std::uint64_t SumOf(std::string_view block) {
  constexpr std::uint64_t kEven = 0x00FF00FF00FF00FF;
  std::uint64_t sums = 0;  // Four of 16 bits, each of at most 128 x 255.
  for (std::size_t i = 0; i < kTarBlock; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, block.data() + i, sizeof word);
    sums += (word & kEven) + ((word >> 8) & kEven);
  }
  return (sums & 0xFFFF) + ((sums >> 16) & 0xFFFF) + ((sums >> 32) & 0xFFFF) + (sums >> 48);
}

// The checksum's own bytes count as spaces. Old programs added the bytes as signed numbers.
bool HasChecksum(std::string_view block) {
  const auto told = OctalAt(block, kChecksum);
  if (!told) return false;
  std::uint64_t sum = SumOf(block) + kChecksum.size * ' ';
  std::uint64_t high = 0;  // Bytes above 127, which are 256 less as signed numbers.
  for (const char c : block.substr(kChecksum.begin, kChecksum.size)) sum -= static_cast<unsigned char>(c);
  if (*told == sum) return true;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool is_checksum = i >= kChecksum.begin && i < kChecksum.begin + kChecksum.size;
    if (!is_checksum && static_cast<unsigned char>(block[i]) > 127) ++high;
  }
  return *told + 256 * high == sum;
}

std::string WhyNoHeader(std::string_view block) {
  struct Compression {
    std::string_view magic;
    const char* name;
  };
  constexpr Compression kCompressions[] = {{"\x1f\x8b", "gzip"},
                                           {"BZh", "bzip2"},
                                           {"\xfd"
                                            "7zXZ",
                                            "xz"},
                                           {"\x28\xb5\x2f\xfd", "zstd"}};
  for (const Compression& compression : kCompressions) {
    if (block.starts_with(compression.magic)) {
      return std::string("the archive is compressed (") + compression.name +
             "); store it as plain tar, which can be read in parts";
    }
  }
  return "this is no tar header: its checksum is wrong";
}

// ------------------------------------------------------------------------------------------------------- writing

void PutText(std::string& block, Field field, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), field.size),
              block.begin() + static_cast<std::ptrdiff_t>(field.begin));
}

void PutOctal(std::string& block, Field field, std::uint64_t value) {
  for (std::size_t at = field.begin + field.size - 1; at-- > field.begin; value /= 8) {
    block[at] = static_cast<char>('0' + value % 8);
  }
}

struct SplitName {
  std::string_view prefix;
  std::string_view name;
};

// How ustar holds the name. Nothing if it cannot.
std::optional<SplitName> Split(std::string_view name) {
  const bool is_ascii = std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
  if (!is_ascii) return std::nullopt;
  if (name.size() <= kName.size) return SplitName{"", name};
  const std::size_t slash = name.find('/', name.size() - kName.size - 1);
  // Without a slash, it is behind all of them.
  if (slash > kPrefix.size || slash == 0 || slash + 1 == name.size()) return std::nullopt;
  return SplitName{name.substr(0, slash), name.substr(slash + 1)};
}

std::string Block(const SplitName& name, char type, std::uint64_t size, std::int64_t seconds) {
  std::string block(kTarBlock, '\0');
  PutText(block, kName, name.name);
  PutOctal(block, kMode, 0644);
  PutOctal(block, kUser, 0);
  PutOctal(block, kGroup, 0);
  PutOctal(block, kSize, size <= kMostOctal ? size : 0);
  PutOctal(block, kTime,
           std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0)), 0, kMostOctal));
  block[kType] = type;
  PutText(block, kMagic,
          std::string_view("ustar\0"
                           "00",
                           8));
  PutText(block, kPrefix, name.prefix);
  std::uint64_t sum = kChecksum.size * ' ';
  for (const char c : block) sum += static_cast<unsigned char>(c);
  PutOctal(block, {kChecksum.begin, 7}, sum);
  block[kChecksum.begin + 7] = ' ';
  return block;
}

// "LENGTH KEY=VALUE\n", where the length counts its own digits.
std::string PaxRecord(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (rest + std::to_string(length).size() != length) length = rest + std::to_string(length).size();
  return std::to_string(length) + " " + std::string(key) + "=" + std::string(value) + "\n";
}

}  // namespace

Result<TarHeader> ReadTarHeader(std::span<const std::byte> bytes) {
  const std::string_view block{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (!HasChecksum(block)) return Refused(WhyNoHeader(block));
  TarHeader header{.name = std::string(TextAt(block, kName)), .type = block[kType] == '\0' ? '0' : block[kType]};
  // GNU's magic ends with spaces, and has other fields in place of the prefix.
  const std::string_view prefix = TextAt(block, kPrefix);
  if (block.substr(kMagic.begin, 6) == std::string_view("ustar\0", 6) && !prefix.empty()) {
    header.name.insert(0, std::string(prefix) + "/");
  }
  const auto size = NumberAt(block, kSize);
  if (!size) return Refused("the size of '" + header.name + "' is no number");
  header.size = *size;
  return header;
}

std::string WriteTarHeader(const std::string& name, std::uint64_t size, std::int64_t seconds_since_1970) {
  assert(!name.empty());
  const auto split = Split(name);
  std::string records;
  if (!split) records += PaxRecord("path", name);
  if (size > kMostOctal) records += PaxRecord("size", std::to_string(size));
  std::string headers;
  if (!records.empty()) {
    headers = Block({"", "pax_header"}, 'x', records.size(), seconds_since_1970) + records;
    headers.resize(TarPadded(headers.size()), '\0');
  }
  return headers + Block(split.value_or(SplitName{"", std::string_view(name).substr(0, kName.size)}), '0', size,
                         seconds_since_1970);
}

}  // namespace gcsflux::internal
