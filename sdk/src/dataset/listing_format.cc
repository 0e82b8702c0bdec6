#include "dataset/listing_format.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "formats/bytes/packed_bytes.h"

namespace gcsflux::internal {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr std::string_view kMagic = "gcsflux listing\n";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kVersionWithKeys = 3;
constexpr std::size_t kLeastObjectBytes = 6;  // Each of its fields has one.
constexpr std::size_t kMostNameBytes = 1024;
// Of all names, for each byte of the listing. An object that Cloud Storage has listed takes about 14 bytes or more.
constexpr std::size_t kMostNamesPerByte = 64;

// Wraps, as its inverse does, so that every generation is in range.
std::int64_t Difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t Sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// ------------------------------------------------------------------------------------------------------- writing

// Those that a member of the objects has, in the order of their first use.
std::vector<InternedName> NamesOf(const std::vector<ListedObject>& objects, InternedName ListedObject::*member) {
  std::vector<InternedName> seen;
  for (const ListedObject& object : objects) {
    if (std::find(seen.rbegin(), seen.rend(), object.*member) == seen.rend()) seen.push_back(object.*member);
  }
  return seen;
}

using Places = std::map<std::string, std::uint64_t, std::less<>>;

Places WriteNames(PackedWriter& writer, const std::vector<InternedName>& names) {
  Places places;
  writer.Number(names.size());
  for (const InternedName name : names) {
    writer.Text(name.name());
    places.emplace(name.name(), places.size());
  }
  return places;
}

std::size_t SharedBytes(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(in_a - a.begin());
}

std::int64_t MicrosecondsOf(system_clock::time_point time) {
  return std::chrono::duration_cast<microseconds>(time.time_since_epoch()).count();
}

// ------------------------------------------------------------------------------------------------------- reading

Error Damaged(const char* how) {
  return {ErrorCode::kCorrupted, std::string("the saved listing cannot be used: ") + how + "; save it again"};
}

// A time beyond the clock's range becomes its first or last time.
system_clock::time_point TimeAt(std::int64_t count_of_microseconds) {
  constexpr auto kFirst = std::chrono::ceil<microseconds>(system_clock::duration::min()).count();
  constexpr auto kLast = std::chrono::floor<microseconds>(system_clock::duration::max()).count();
  return system_clock::time_point(microseconds(std::clamp<std::int64_t>(count_of_microseconds, kFirst, kLast)));
}

InternedName NameAt(PackedReader& reader, const std::vector<InternedName>& names, std::uint64_t place) {
  if (place >= names.size()) reader.Fail();
  return reader.has_failed() ? InternedName() : names[static_cast<std::size_t>(place)];
}

// `objects` holds the previous objects. `keys` is empty if none of the objects is under a key.
ListedObject ReadObject(PackedReader& reader, const std::vector<InternedName>& classes,
                        const std::vector<InternedName>& keys, const std::vector<ListedObject>& objects) {
  static const ListedObject& kNone = *new ListedObject();
  const ListedObject& before = objects.empty() ? kNone : objects.back();
  ListedObject object;
  const std::uint64_t shared = reader.Number();
  const std::string_view rest = reader.Text();
  if (shared > before.name.size() || shared + rest.size() > kMostNameBytes) reader.Fail();
  if (reader.has_failed()) return object;
  object.name.reserve(static_cast<std::size_t>(shared) + rest.size());
  object.name.append(before.name, 0, static_cast<std::size_t>(shared)).append(rest);
  if (object.name <= before.name) reader.Fail();  // Names ascend, and none is empty.
  object.size = reader.Number();
  object.generation = Sum(before.generation, reader.Signed());
  const std::uint64_t mark = reader.Number();
  if (mark % 2 == 1) object.crc32c = reader.Fixed32();
  object.storage_class = NameAt(reader, classes, mark / 2);
  if (!keys.empty()) object.kms_key_name = NameAt(reader, keys, reader.Number());
  object.updated = TimeAt(Sum(object.generation, reader.Signed()));
  return object;
}

std::vector<InternedName> ReadNames(PackedReader& reader) {
  const std::uint64_t count = reader.Number();
  std::vector<InternedName> names;
  if (count > reader.left()) reader.Fail();
  for (std::uint64_t i = 0; i < count && !reader.has_failed(); ++i) names.emplace_back(reader.Text());
  return names;
}

}  // namespace

Result<std::string> EncodeListing(const Listing& listing) {
  constexpr std::size_t kUsualObjectBytes = 56;
  const auto classes = NamesOf(listing.objects, &ListedObject::storage_class);
  const auto keys = NamesOf(listing.objects, &ListedObject::kms_key_name);
  PackedWriter writer;
  writer.Reserve(listing.objects.size() * kUsualObjectBytes + 4096);
  writer.Raw(kMagic);
  const bool tells_keys = std::ranges::any_of(keys, [](InternedName key) { return !key.empty(); });
  writer.Number(tells_keys ? kVersionWithKeys : kVersion);
  writer.Text(listing.prefix.bucket);
  writer.Text(listing.prefix.name);
  writer.Signed(std::chrono::floor<milliseconds>(listing.time.time_since_epoch()).count());
  const Places class_places = WriteNames(writer, classes);
  const Places key_places = tells_keys ? WriteNames(writer, keys) : Places();
  writer.Number(listing.objects.size());
  std::string_view name;
  std::uint64_t names = 0;
  std::int64_t generation = 0;
  for (const ListedObject& object : listing.objects) {
    if (object.name <= name) {
      return Error{ErrorCode::kInvalidArgument,
                   "the objects of a saved listing must be in bytewise order of their names, each once"};
    }
    if (object.name.size() > kMostNameBytes) {
      return Error{ErrorCode::kInvalidArgument, "a name in a saved listing is at most 1024 bytes long, and one has " +
                                                    std::to_string(object.name.size())};
    }
    names += object.name.size();
    const std::size_t shared = SharedBytes(name, object.name);
    writer.Number(shared);
    writer.Text(std::string_view(object.name).substr(shared));
    writer.Number(object.size);
    writer.Signed(Difference(object.generation, generation));
    writer.Number(2 * class_places.find(object.storage_class.name())->second + (object.crc32c ? 1 : 0));
    if (object.crc32c) writer.Fixed32(*object.crc32c);
    if (tells_keys) writer.Number(key_places.find(object.kms_key_name.name())->second);
    writer.Signed(Difference(MicrosecondsOf(object.updated), object.generation));
    name = object.name;
    generation = object.generation;
  }
  std::string bytes = std::move(writer).TakeSealed();
  if (names <= kMostNamesPerByte * bytes.size()) return bytes;
  return Error{ErrorCode::kInvalidArgument,
               "the names of a saved listing are too long and too similar; list a longer prefix, or several"};
}

bool IsSavedListing(std::span<const std::byte> bytes) { return TextOf(bytes).starts_with(kMagic); }

Result<Listing> DecodeListing(std::span<const std::byte> bytes) {
  const std::string_view text = TextOf(bytes);
  if (!text.starts_with(kMagic)) return Damaged("it is none, or its beginning is damaged");
  if (text.size() < kMagic.size() + kSealBytes) return Damaged("it was cut off");
  const std::string_view sealed = text.substr(0, text.size() - kSealBytes);
  PackedReader reader(sealed.substr(kMagic.size()));
  const std::uint64_t version = reader.Number();
  if (version > kVersionWithKeys && version < 1'000) {  // A newer version may have another seal.
    return Error{ErrorCode::kInvalidArgument, "the saved listing is of version " + std::to_string(version) +
                                                  ", and this version of gcsflux reads versions 1 and 3"};
  }
  if (PackedReader(text.substr(sealed.size())).Fixed32() != Seal(sealed)) return Damaged("it was cut off or changed");
  if (version != kVersion && version != kVersionWithKeys) return Damaged("it is of a version that was never released");
  Listing listing;
  listing.prefix.bucket = reader.Text();
  listing.prefix.name = reader.Text();
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max() / 1'000;
  listing.time = TimeAt(std::clamp(reader.Signed(), -kFarthest, kFarthest) * 1'000);
  const auto classes = ReadNames(reader);
  const auto keys = version == kVersionWithKeys ? ReadNames(reader) : std::vector<InternedName>();
  const std::uint64_t count = reader.Number();
  if (count > reader.left() / kLeastObjectBytes) reader.Fail();
  if (!reader.has_failed()) listing.objects.reserve(static_cast<std::size_t>(count));
  std::uint64_t names = 0;
  for (std::uint64_t i = 0; i < count && !reader.has_failed(); ++i) {
    listing.objects.push_back(ReadObject(reader, classes, keys, listing.objects));
    names += listing.objects.back().name.size();
    if (names > kMostNamesPerByte * bytes.size()) reader.Fail();
  }
  if (reader.has_failed() || reader.left() > 0) return Damaged("what it says makes no sense");
  return listing;
}

}  // namespace gcsflux::internal
