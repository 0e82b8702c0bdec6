#include "formats/tar/tar_parser.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/tar/tar_header.h"

namespace gcsflux::internal {
namespace {

// Of a long name, or of the pax records of a member. They are held in memory.
constexpr std::uint64_t kMostMeta = 1 << 20;

bool IsZero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

std::string WhatIs(char type) {
  switch (type) {
    case '1': return "a hard link";
    case '2': return "a symbolic link";
    case '3':
    case '4': return "a device";
    case '6': return "a pipe";
    case 'S': return "a sparse file";
    case 'M': return "a part of a file that another volume begins";
    default: break;
  }
  return std::string("of type '") + (type >= ' ' && type <= '~' ? type : '?') + "'";
}

std::optional<std::uint64_t> Decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Error TarParser::RefuseAt(std::uint64_t offset, const std::string& why) const {
  const std::string where = member_.empty() ? "" : "member " + Shown(member_) + ", ";
  return {ErrorCode::kUndecodable, settings_.archive + ": " + where + "byte " + std::to_string(offset) + ": " + why};
}

Error TarParser::Refuse(const std::string& why) const { return RefuseAt(position_, why); }

Result<void> TarParser::Feed(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    auto rest = Step(bytes);
    if (!rest) return rest.error();
    position_ += bytes.size() - rest->size();
    bytes = *rest;
  }
  return {};
}

// Takes at least one byte, and returns the others.
Result<std::span<const std::byte>> TarParser::Step(std::span<const std::byte> bytes) {
  if (state_ == State::kHeader || state_ == State::kEnd) {
    const std::size_t taken = std::min(kTarBlock - filled_, bytes.size());
    sink_.OnOther(bytes.first(taken));
    std::span<const std::byte> block = bytes.first(taken);
    if (filled_ > 0 || taken < kTarBlock) {
      std::ranges::copy(block, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
      filled_ += taken;
      if (filled_ < kTarBlock) return bytes.subspan(taken);
      block = block_;
    }
    // Errors name the header's own offset.
    position_ -= filled_ > 0 ? filled_ - taken : 0;
    auto read = state_ == State::kEnd ? OnZeros(block) : OnHeader(block);
    if (!read) return read.error();
    position_ += filled_ > 0 ? filled_ - taken : 0;
    filled_ = 0;
    return bytes.subspan(taken);
  }
  const std::span<const std::byte> mine =
      bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  left_ -= mine.size();
  if (state_ == State::kData) {
    if (auto taken = sink_.OnBytes(mine); !taken) return taken.error();
  } else {
    sink_.OnOther(mine);
    if (state_ == State::kMeta) meta_.append(reinterpret_cast<const char*>(mine.data()), mine.size());
  }
  if (left_ > 0) return bytes.subspan(mine.size());
  if (state_ == State::kData) {
    if (auto ended = sink_.OnMemberEnd(); !ended) return ended.error();
  }
  if (state_ == State::kMeta) {
    if (auto ended = EndMeta(); !ended) return ended.error();
  }
  const bool pads = padding_ > 0 && (state_ == State::kData || state_ == State::kMeta);
  state_ = !pads ? State::kHeader : state_ == State::kData ? State::kDataPadding : State::kMetaPadding;
  left_ = pads ? std::exchange(padding_, 0) : 0;
  return bytes.subspan(mine.size());
}

Result<void> TarParser::OnZeros(std::span<const std::byte> block) {
  if (IsZero(block)) return {};
  member_.clear();
  return Refuse("there are bytes behind the archive's end; two archives in one object would lose the second one");
}

Result<void> TarParser::OnHeader(std::span<const std::byte> block) {
  if (block[0] == std::byte{0} && IsZero(block)) {
    if (begin_) return Refuse("the archive ends where the member of a long name should follow");
    if (settings_.is_part) return Refuse("the archive ends within the part that was read");
    state_ = State::kEnd;
    return {};
  }
  auto header = ReadTarHeader(block);
  if (!header) return Refuse(header.error().message);
  if (!begin_ && header->type != 'g') begin_ = position_;  // Of all members, so that none begins with it.
  const std::uint64_t size = extension_.size.value_or(header->size);
  switch (header->type) {
    case 'x':
    case 'g':
    case 'L':
    case 'K': return BeginMeta(header->type, header->size);
    case '0':
    case '7':
      // v7 has no type for directories; their names end with a slash.
      if (!extension_.name && header->name.ends_with('/')) break;
      return BeginMember(std::move(header->name), size);
    case '5':
    case 'V': break;
    default:
      member_ = extension_.name.value_or(header->name);
      return Refuse("it is " + WhatIs(header->type) + "; only regular files can be samples");
  }
  // Its size, if it has one, is the memory that is reserved for the directory; no bytes follow.
  if (header->type != '5' && size > 0) return Refuse("a directory or volume label with bytes");
  extension_ = {};
  begin_.reset();
  return {};
}

Result<void> TarParser::BeginMeta(char type, std::uint64_t size) {
  if (size == 0 || size > kMostMeta) {
    return Refuse("a header of type '" + std::string(1, type) + "' says that it has " + std::to_string(size) +
                  " bytes");
  }
  meta_type_ = type;
  meta_.clear();
  state_ = State::kMeta;
  left_ = size;
  padding_ = TarPadded(size) - size;
  return {};
}

Result<void> TarParser::EndMeta() {
  if (meta_type_ == 'L') extension_.name = meta_.substr(0, meta_.find('\0'));
  if (meta_type_ == 'x' || meta_type_ == 'g') return OnPax(meta_);
  return {};
}

Result<void> TarParser::OnPax(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty() && rest.front() != '\0') {
    const std::size_t space = rest.find(' ');
    const auto length = Decimal(rest.substr(0, std::min(space, rest.size())));
    const bool fits = length && *length <= rest.size() && *length > space + 1;
    const std::string_view record =
        fits ? rest.substr(space + 1, static_cast<std::size_t>(*length) - space - 1) : std::string_view();
    const std::size_t equals = record.find('=');
    if (!record.ends_with('\n') || equals == std::string_view::npos) return Refuse("the pax records are damaged");
    auto taken = OnPaxRecord(std::string(record.substr(0, equals)),
                             std::string(record.substr(equals + 1, record.size() - equals - 2)));
    if (!taken) return taken;
    rest.remove_prefix(static_cast<std::size_t>(*length));
  }
  return {};
}

Result<void> TarParser::OnPaxRecord(const std::string& key, const std::string& value) {
  if (key.starts_with("GNU.sparse.")) return Refuse("a sparse file; only regular files can be samples");
  if (key != "path" && key != "size") return {};
  if (meta_type_ == 'g') return Refuse("a pax header gives all members one " + key);
  if (key == "path") {
    extension_.name = value;
    return {};
  }
  extension_.size = Decimal(value);
  if (!extension_.size) return Refuse("the size " + Shown(value) + " is no number");
  return {};
}

Result<void> TarParser::BeginMember(std::string name, std::uint64_t size) {
  const std::uint64_t data = position_ + kTarBlock;
  TarMember member{.name = extension_.name ? *std::move(extension_.name) : std::move(name),
                   .size = size,
                   .begin = *std::exchange(begin_, std::nullopt),
                   .data = data};
  extension_ = {};
  member_ = member.name;
  const std::uint64_t end = settings_.end.value_or(std::numeric_limits<std::int64_t>::max());
  if (data > end || size > end - data) {
    return Refuse("it says that it has " + std::to_string(size) + " bytes, and the archive ends at byte " +
                  std::to_string(end) + ": it was cut off, or the size is wrong");
  }
  if (auto taken = sink_.OnMember(member); !taken) return taken;
  padding_ = TarPadded(size) - size;
  left_ = size;
  state_ = State::kData;
  if (size > 0) return {};
  state_ = State::kHeader;
  return sink_.OnMemberEnd();
}

Result<void> TarParser::Finish() const {
  if (filled_ > 0 || begin_ || left_ > 0) return Refuse("the archive was cut off here");
  if (state_ == State::kEnd || settings_.is_part) return {};
  return Refuse("the archive has no end: it was cut off between two members");
}

}  // namespace gcsflux::internal
