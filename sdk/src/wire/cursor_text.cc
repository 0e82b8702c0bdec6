// The cursor of a dataset as text: FormatCursor and ParseCursor.
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text/hex.h"
#include "base/text/utf8.h"
#include "base/text/zero_byte.h"
#include "gcsflux/epoch.h"

namespace gcsflux {
namespace {

using Json = nlohmann::ordered_json;

// 2: shuffles of at most Permutation::kMostListed samples have another order than in 1.
constexpr std::uint64_t kFormat = 2;
constexpr const char* kInHex = "_hex";
constexpr std::string_view kByName = "by name";
constexpr std::string_view kShuffled = "shuffled";
constexpr std::string_view kBuffered = "buffered";
constexpr std::string_view kGiven = "given";

Error Wrong(const std::string& why) { return {ErrorCode::kInvalidArgument, "the cursor cannot be used: " + why}; }

std::string Hex(std::uint64_t number) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, number >>= 4)
    *digit = "0123456789abcdef"[number & 15];
  return digits;
}

void Write(Json& json, const std::string& name, const std::string& bytes) {
  if (internal::IsUtf8(bytes)) {
    json[name] = bytes;
  } else {
    json[name + kInHex] = internal::HexEncode(bytes);
  }
}

std::string_view NameOf(SampleOrder order) {
  if (order == SampleOrder::kByName) return kByName;
  if (order == SampleOrder::kGiven) return kGiven;
  return order == SampleOrder::kBuffered ? kBuffered : kShuffled;
}

// Reads the members of an object, and keeps the first error.
class Reader {
 public:
  explicit Reader(const Json& json, std::string where = "") : json_(json), where_(std::move(where)) {}

  std::uint64_t Number(const char* name) {
    const Json* const value = Find(name);
    if (value == nullptr) return 0;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    Note(name, "must be a whole number from 0 on");
    return 0;
  }

  std::string Text(const char* name) {
    const Json* const value = Find(name);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    Note(name, "must be a string");
    return {};
  }

  std::uint64_t HexNumber(const char* name) {
    const std::string text = Text(name);
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (text.size() != 16 || failure != std::errc{} || end != text.data() + text.size()) {
      Note(name, "must be 16 hexadecimal digits");
    }
    return number;
  }

  // FormatCursor() writes bytes that are not UTF-8 in another member.
  std::string Bytes(const char* name) {
    const std::string in_hex = std::string(name) + kInHex;
    if (json_.find(in_hex) == json_.end()) return Text(name);
    const auto bytes = internal::HexDecode(Text(in_hex.c_str()));
    if (!bytes) Note(in_hex.c_str(), "must be pairs of hexadecimal digits");
    return bytes.value_or("");
  }

  SampleOrder Order(const char* name) {
    const std::string text = Text(name);
    if (text == kByName) return SampleOrder::kByName;
    if (text == kBuffered) return SampleOrder::kBuffered;
    if (text == kGiven) return SampleOrder::kGiven;
    if (text != kShuffled) Note(name, "must be \"by name\", \"shuffled\", \"buffered\" or \"given\"");
    return SampleOrder::kShuffled;
  }

  // False if it is missing.
  bool Switch(const char* name) {
    const auto found = json_.find(name);
    if (found == json_.end()) return false;
    if (!found->is_boolean()) Note(name, "must be true or false");
    return found->is_boolean() && found->get<bool>();
  }

  Reader Object(const char* name) {
    static const Json& kEmpty = *new Json(Json::object());
    const Json* const value = Find(name);
    const bool is_object = value != nullptr && value->is_object();
    if (value != nullptr && !is_object) Note(name, "must be an object");
    return Reader(is_object ? *value : kEmpty, where_ + name + ".");
  }

  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  const Json* Find(const char* name) {
    const auto found = json_.find(name);
    if (found != json_.end()) return &*found;
    Note(name, "is missing");
    return nullptr;
  }
  void Note(const char* name, const char* why) {
    if (wrong_.empty()) wrong_ = "\"" + where_ + name + "\" " + why;
  }

  const Json& json_;
  const std::string where_;
  std::string wrong_;
};

}  // namespace

std::string FormatCursor(const Cursor& cursor) {
  Json json = {{"format", kFormat},
               {"seed", cursor.seed},
               {"epoch", cursor.epoch},
               {"consumed", cursor.consumed},
               {"order", NameOf(cursor.order)}};
  if (cursor.order == SampleOrder::kBuffered || cursor.shards) json["shuffle_buffer"] = cursor.shuffle_buffer;
  if (cursor.order == SampleOrder::kGiven) json["order_hash"] = Hex(cursor.order_hash);
  Json& listing = json["listing"];
  Write(listing, "bucket", cursor.listing.bucket);
  Write(listing, "prefix", cursor.listing.prefix);
  listing["count"] = cursor.listing.count;
  listing["hash"] = Hex(cursor.listing.hash);
  if (cursor.listing.is_partial) listing["is_partial"] = true;
  if (cursor.shards) {
    json["shards"] = {{"rank", cursor.shards->rank},
                      {"world_size", cursor.shards->world_size},
                      {"shard", cursor.shards->shard},
                      {"samples_before", cursor.shards->samples_before},
                      {"samples", cursor.shards->samples}};
  }
  return json.dump(2);
}

Result<Cursor> ParseCursor(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || internal::HasZeroByte(text)) return Wrong("it is no JSON object; was it written whole?");
  Reader fields(json);
  const std::uint64_t format = fields.Number("format");
  if (fields.wrong().empty() && format != kFormat) {
    return Wrong("its format is " + std::to_string(format) + ", and this version of gcsflux reads format 2");
  }
  Cursor cursor{.seed = fields.Number("seed"),
                .epoch = fields.Number("epoch"),
                .consumed = fields.Number("consumed"),
                .order = fields.Order("order")};
  const bool has_shards = json.contains("shards");
  if (cursor.order == SampleOrder::kBuffered || has_shards) cursor.shuffle_buffer = fields.Number("shuffle_buffer");
  if (cursor.order == SampleOrder::kGiven) cursor.order_hash = fields.HexNumber("order_hash");
  Reader listing = fields.Object("listing");
  if (!fields.wrong().empty()) return Wrong(fields.wrong());
  cursor.listing = {.bucket = listing.Bytes("bucket"),
                    .prefix = listing.Bytes("prefix"),
                    .count = listing.Number("count"),
                    .hash = listing.HexNumber("hash"),
                    .is_partial = listing.Switch("is_partial")};
  if (!listing.wrong().empty()) return Wrong(listing.wrong());
  if (!has_shards) return cursor;
  Reader shards = fields.Object("shards");
  cursor.shards = {.rank = shards.Number("rank"),
                   .world_size = shards.Number("world_size"),
                   .shard = shards.Number("shard"),
                   .samples_before = shards.Number("samples_before"),
                   .samples = shards.Number("samples")};
  if (!fields.wrong().empty() || !shards.wrong().empty()) return Wrong(fields.wrong() + shards.wrong());
  return cursor;
}

}  // namespace gcsflux
