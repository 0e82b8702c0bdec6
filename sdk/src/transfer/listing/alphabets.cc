#include "transfer/listing/alphabets.h"

#include <algorithm>

#include "transfer/listing/code_points.h"

namespace gcsflux::internal::listing {
namespace {

constexpr std::uint32_t kMaxDepth = 255;
constexpr std::uint8_t kAnyClass = 0xFF;

bool InsertSorted(std::vector<char32_t>& codes, char32_t code) {
  const auto place = std::lower_bound(codes.begin(), codes.end(), code);
  if (place != codes.end() && *place == code) return false;
  codes.insert(place, code);
  return true;
}

std::uint32_t BitOf(CharacterClass of) { return 1U << static_cast<unsigned>(of); }

bool Raise(bool& flag, bool value) {
  if (flag || !value) return false;
  flag = true;
  return true;
}

}  // namespace

CharacterClass ClassOf(char32_t code) {
  if (code >= U'0' && code <= U'9') return CharacterClass::kDigit;
  if (code >= U'a' && code <= U'z') return CharacterClass::kLower;
  if (code >= U'A' && code <= U'Z') return CharacterClass::kUpper;
  if (code == kEndOfName) return CharacterClass::kNone;
  return code < 0x80 ? CharacterClass::kPunctuation : CharacterClass::kOther;
}

Place Place::Next(char32_t code) const {
  if (code == U'/') return {std::min(depth + 1, kMaxDepth), 0, CharacterClass::kNone};
  return {depth, offset + 1, ClassOf(code)};
}

std::uint64_t Alphabets::Key(const Place& place) {
  return (std::uint64_t{place.depth} << 40) | (std::uint64_t{place.offset} << 8) | static_cast<unsigned>(place.after);
}

bool Alphabets::Insert(Alphabet& alphabet, char32_t code) {
  if (!InsertSorted(alphabet.codes, code)) return false;
  alphabet.classes |= BitOf(ClassOf(code));
  return true;
}

bool Alphabets::Learn(std::string_view name, std::string_view previous) {
  bool is_new = false;
  const std::size_t shared = previous.empty() ? name.size() : CommonPrefix(name, previous);
  const std::size_t size = name.size();
  std::vector<std::array<Alphabet*, 2>> path;
  Place place;
  while (true) {
    const bool is_anew = size - name.size() > shared;
    const char32_t code = name.empty() ? kEndOfName : TakeCodePoint(name);
    Place any = place;
    any.after = static_cast<CharacterClass>(kAnyClass);
    path.push_back({&alphabets_[Key(place)], &alphabets_[Key(any)]});
    for (Alphabet* alphabet : path.back()) {
      is_new |= Insert(*alphabet, code);
      is_new |= Raise(alphabet->has_wrapped, is_anew);
    }
    if (code == kEndOfName) break;
    if (code != U'/') is_new |= InsertSorted(codes_of_depth_[place.depth], code);
    place = place.Next(code);
  }
  is_new |= Pass(path);
  if (is_new) ++version_;
  return is_new;
}

// Tells each place on the path of a name what is known of the places after it: whether they vary, and how.
bool Alphabets::Pass(const std::vector<std::array<Alphabet*, 2>>& path) const {
  bool is_new = false;
  for (std::size_t which = 0; which < 2; ++which) {
    const Alphabet* next = nullptr;
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      Alphabet& here = *(*step)[which];
      const bool varies = here.codes.size() > 1;
      // A word before a number is not part of it: "sample-" stays the same while the number counts.
      const bool runs_on = next != nullptr && (here.classes & next->classes) != 0;
      is_new |= Raise(here.varies_here, varies || (runs_on && next->varies_here));
      is_new |= Raise(here.varies_later, next != nullptr && (next->varies_later || next->codes.size() > 1));
      const bool has_several_classes = (here.classes & (here.classes - 1)) != 0;
      is_new |= Raise(here.is_mixed, has_several_classes || (runs_on && next->is_mixed));
      next = &here;
    }
  }
  return is_new;
}

const Shares& Alphabets::At(const Place& place) const {
  static const Shares& kNone = *new Shares();
  auto found = alphabets_.find(Key(place));
  if (found == alphabets_.end()) {
    Place any = place;
    any.after = static_cast<CharacterClass>(kAnyClass);
    found = alphabets_.find(Key(any));
    if (found == alphabets_.end()) return kNone;
  }
  if (found->second.shares_version != version_) Divide(found->second, place.depth);
  return found->second.shares;
}

std::vector<char32_t> Alphabets::Unseen(const Alphabet& alphabet, std::uint32_t depth) const {
  const bool has_digits = (alphabet.classes & BitOf(CharacterClass::kDigit)) != 0;
  std::vector<char32_t> candidates;
  if (has_digits && (alphabet.varies_here || alphabet.varies_later)) {
    for (char32_t digit = U'0'; digit <= U'9'; ++digit) candidates.push_back(digit);
  }
  const auto codes = codes_of_depth_.find(depth);
  if (alphabet.varies_here && alphabet.is_mixed && codes != codes_of_depth_.end()) {
    for (const char32_t code : codes->second) InsertSorted(candidates, code);
  }
  std::vector<char32_t> unseen;
  std::set_difference(candidates.begin(), candidates.end(), alphabet.codes.begin(), alphabet.codes.end(),
                      std::back_inserter(unseen));
  return unseen;
}

// The share of a place that its unseen characters get.
double Alphabets::ShareOfUnseen(const Alphabet& alphabet, std::size_t unseen) {
  if (unseen == 0) return 0;
  const auto seen = static_cast<double>(alphabet.codes.size());
  if (!alphabet.varies_here) return 0.2 / ((seen + 1) * (seen + 1));  // only a place behind a separator varies
  if (alphabet.has_wrapped) return 1 / ((seen + 1) * (seen + 1));
  // A leading digit gets a quarter, so that equal cuts try every magnitude of a counter.
  if (seen == 1 && !alphabet.is_mixed) return 0.25;
  // It grows, and has not reached its last character: unseen characters count half of the seen ones.
  const double others = 0.5 * static_cast<double>(unseen);
  return others / (seen + others);
}

void Alphabets::Divide(Alphabet& alphabet, std::uint32_t depth) const {
  const std::vector<char32_t> unseen = Unseen(alphabet, depth);
  const double rest = ShareOfUnseen(alphabet, unseen.size());
  const double seen_width = (1 - rest) / static_cast<double>(alphabet.codes.size());
  const double unseen_width = unseen.empty() ? 0 : rest / static_cast<double>(unseen.size());
  alphabet.shares.clear();
  double begin = 0;
  const auto add = [&](char32_t code, double width) {
    alphabet.shares.push_back({code, begin, width});
    begin += width;
  };
  auto next_unseen = unseen.begin();
  for (const char32_t code : alphabet.codes) {
    for (; next_unseen != unseen.end() && *next_unseen < code; ++next_unseen) add(*next_unseen, unseen_width);
    add(code, seen_width);
  }
  for (; next_unseen != unseen.end(); ++next_unseen) add(*next_unseen, unseen_width);
  alphabet.shares_version = version_;
}

}  // namespace gcsflux::internal::listing
