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

/// Where in a name a character stands, as far as it tells what may stand there: how many '/' are before it, how many
/// characters since the last of them, and of what class the one before it is.
struct Place {
  std::uint32_t depth = 0;
  std::uint32_t offset = 0;
  CharacterClass after = CharacterClass::kNone;

  [[nodiscard]] Place Next(char32_t code) const;
};

/// One character that may stand at a place, and its share of what is there: [begin, begin + width) of [0, 1).
struct Share {
  char32_t code = 0;
  double begin = 0;
  double width = 0;
};
using Shares = std::vector<Share>;  // in the order of the codes

/// Stands for the end of a name, which comes before all characters.
constexpr char32_t kEndOfName = 0;

/// Which characters stand at which places of names, learned from samples.
///
/// Without this a cut between "sample-0" and "sample-1" falls at characters that no name has. What was seen at a place
/// shares it equally: counts would say where the listing has been, not where names are. What was not seen there, but
/// may well come (other digits where later ones vary), keeps a little: as counters and dates have their leading digits
/// constant for as long as a page can see.
class Alphabets {
 public:
  /// Names one by one, those of a page in their order: what begins anew when something before it advances has been
  /// through all of its characters. `previous` is the name learned before on the same page, or empty.
  /// True where that was news.
  bool Learn(std::string_view name, std::string_view previous);
  /// Empty where nothing is known of the place. Valid until the next Learn.
  const Shares& At(const Place& place) const;
  [[nodiscard]] bool empty() const { return alphabets_.empty(); }

 private:
  struct Alphabet {
    std::vector<char32_t> codes = {};  // sorted
    std::uint32_t classes = 0;         // a bit for each of the codes'
    bool varies_here = false;          // it varies, or what directly follows and is like it does
    bool varies_later = false;         // something after it does
    bool is_mixed = false;             // of characters of several classes, or runs into such
    bool has_wrapped = false;          // it began anew: what it has not shown by then is unlikely
    Shares shares = {};
    std::uint64_t shares_version = 0;  // of version_ when they were computed
  };
  static std::uint64_t Key(const Place& place);
  bool Insert(Alphabet& alphabet, char32_t code);
  bool Pass(const std::vector<std::array<Alphabet*, 2>>& path) const;
  void Divide(Alphabet& alphabet, std::uint32_t depth) const;
  static double ShareOfUnseen(const Alphabet& alphabet, std::size_t unseen);
  [[nodiscard]] std::vector<char32_t> Unseen(const Alphabet& alphabet, std::uint32_t depth) const;

  mutable std::unordered_map<std::uint64_t, Alphabet> alphabets_;  // exact places, and places after any class
  std::map<std::uint32_t, std::vector<char32_t>> codes_of_depth_;  // sorted; without '/' and ends
  std::uint64_t version_ = 1;
};

}  // namespace gcsflux::internal::listing
