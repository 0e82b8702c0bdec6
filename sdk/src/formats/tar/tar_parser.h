#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gcsflux/result.h"

namespace gcsflux::internal {

/// Tar archives are sequences of such blocks: a header, then the member's bytes and zeros up to the next block.
inline constexpr std::size_t kTarBlock = 512;

/// The size of a member's bytes with the zeros behind them.
constexpr std::uint64_t TarPadded(std::uint64_t size) { return (size + kTarBlock - 1) / kTarBlock * kTarBlock; }

/// A regular file of an archive.
struct TarMember {
  std::string name = {};  ///< As the archive has it.
  std::uint64_t size = 0;
  std::uint64_t begin = 0;  ///< Offset of its first header, which may be that of a long name.
  std::uint64_t data = 0;   ///< Offset of its bytes.

  /// Offset of the next member.
  [[nodiscard]] std::uint64_t end() const { return data + TarPadded(size); }
};

/// Takes what a TarParser finds. The first error that it returns ends the parsing.
class TarSink {
 public:
  virtual ~TarSink() = default;
  /// A regular file begins.
  virtual Result<void> OnMember(const TarMember& member) = 0;
  /// Its next bytes.
  virtual Result<void> OnBytes(std::span<const std::byte> bytes) = 0;
  /// All of its bytes were passed.
  virtual Result<void> OnMemberEnd() = 0;
  /// All other bytes, at their turn: headers, padding, the end.
  virtual void OnOther(std::span<const std::byte>) {}
};

/// Parses a tar archive while it arrives, without copying the members: v7, ustar, GNU and pax. Directories and volume
/// labels are passed over. Links, devices, sparse files, compressed archives and everything else that would lose
/// members without a message are refused with kUndecodable; messages say the archive, the member and the offset. For
/// one thread at a time.
class TarParser {
 public:
  struct Settings {
    std::string archive = {};            ///< For messages.
    std::uint64_t offset = 0;            ///< Of the first byte, in the archive.
    std::optional<std::uint64_t> end{};  ///< The archive's size, if it is known: no member may extend behind it.
    /// The bytes are a part of the archive: they begin and end between members.
    bool is_part = false;
  };
  /// The sink must outlive it.
  TarParser(Settings settings, TarSink& sink) : settings_(std::move(settings)), sink_(sink) {}

  /// The next bytes, in any portions. After an error it must not be called again.
  Result<void> Feed(std::span<const std::byte> bytes);
  /// There are no more bytes. An archive that was cut off is kUndecodable, also if it was cut between two members.
  Result<void> Finish() const;

 private:
  enum class State { kHeader, kData, kDataPadding, kMeta, kMetaPadding, kEnd };
  // What the headers before a member say about it.
  struct Extension {
    std::optional<std::string> name = {};
    std::optional<std::uint64_t> size = {};
  };

  Result<std::span<const std::byte>> Step(std::span<const std::byte> bytes);
  Result<void> OnHeader(std::span<const std::byte> block);
  Result<void> OnZeros(std::span<const std::byte> block);
  Result<void> BeginMeta(char type, std::uint64_t size);
  Result<void> EndMeta();
  Result<void> BeginMember(std::string name, std::uint64_t size);
  Result<void> OnPax(const std::string& text);
  Result<void> OnPaxRecord(const std::string& key, const std::string& value);
  [[nodiscard]] Error Refuse(const std::string& why) const;
  [[nodiscard]] Error RefuseAt(std::uint64_t offset, const std::string& why) const;

  const Settings settings_;
  TarSink& sink_;
  State state_ = State::kHeader;
  std::uint64_t position_ = settings_.offset;
  std::array<std::byte, kTarBlock> block_ = {};  // A header of which a part has come.
  std::size_t filled_ = 0;
  std::uint64_t left_ = 0;     // Bytes of the state.
  std::uint64_t padding_ = 0;  // Behind them.
  char meta_type_ = 0;
  std::string meta_ = {};
  Extension extension_ = {};
  std::optional<std::uint64_t> begin_ = {};  // Of the headers that belong to the next member.
  std::string member_ = {};                  // The present one, or the last one.
};

}  // namespace gcsflux::internal
