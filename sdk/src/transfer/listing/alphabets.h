#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gcsflux::internal::listing {

enum class CharacterClass : std::uint8_t { kNone, kDigit, kLower, kUpper, kPunctuation, kOther };
CharacterClass ClassOf(char32_t code);

/// The position of a character in a name: how many '/' precede it, how many characters follow the last '/', and the
/// class of the previous character. These tell which characters may occur.
struct Place {
  std::uint32_t depth = 0;
  std::uint32_t offset = 0;
  CharacterClass after = CharacterClass::kNone;

  [[nodiscard]] Place Next(char32_t code) const;
};

/// One character that may occur at a place, and its share of the interval: [begin, begin + width) of [0, 1).
struct Share {
  char32_t code = 0;
  double begin = 0;
  double width = 0;
};
using Shares = std::vector<Share>;  // in the order of the codes

/// Represents the end of a name, which sorts before all characters.
constexpr char32_t kEndOfName = 0;

/// Which characters occur at which places of names, learned from samples.
///
/// Without this a cut between "sample-0" and "sample-1" would use characters that no name has. The characters seen at a
/// place have equal shares: counts would show where the listing has been, not where names are. Characters that were not
/// seen but are likely (other digits if later digits vary) get a small share, because the leading digits of counters
/// and dates are constant on one page.
class Alphabets {
 public:
  /// Learns names one by one, those of a page in order. A place wraps if it starts again while a place before it
  /// advances: then it has shown all of its characters. `previous` is the name learned before on the same page, or
  /// empty. Returns true if the name was new information.
  bool Learn(std::string_view name, std::string_view previous);
  /// Empty if nothing is known of the place. Valid until the next Learn.
  const Shares& At(const Place& place) const;
  [[nodiscard]] bool empty() const { return alphabets_.empty(); }

 private:
  struct Alphabet {
    std::vector<char32_t> codes = {};  // sorted
    std::uint32_t classes = 0;         // a bit for each class of these codes
    bool varies_here = false;          // it varies, or an adjacent similar place does
    bool varies_later = false;         // something after it does
    bool is_mixed = false;             // of characters of several classes, or runs into such
    bool has_wrapped = false;          // it started again: characters that it has not shown are unlikely
    Shares shares = {};
    std::uint64_t shares_version = 0;  // the value of version_ at their computation
  };
  static std::uint64_t Key(const Place& place);
  bool Insert(Alphabet& alphabet, char32_t code);
  bool Pass(const std::vector<std::array<Alphabet*, 2>>& path) const;
  void Divide(Alphabet& alphabet, std::uint32_t depth) const;
  static double ShareOfUnseen(const Alphabet& alphabet, std::size_t unseen);
  [[nodiscard]] std::vector<char32_t> Unseen(const Alphabet& alphabet, std::uint32_t depth) const;

  mutable std::unordered_map<std::uint64_t, Alphabet> alphabets_;  // for exact places, and for places after any class
  std::map<std::uint32_t, std::vector<char32_t>> codes_of_depth_;  // sorted; without '/' and the end of names
  std::uint64_t version_ = 1;
};

}  // namespace gcsflux::internal::listing
