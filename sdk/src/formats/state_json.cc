#include "formats/state_json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/utf8.h"
#include "base/text/zero_byte.h"
#include "formats/bytes/format_error.h"
#include "formats/pickle/most_levels.h"

namespace gcsflux::internal {
namespace {

using json = nlohmann::ordered_json;
using pickled::Dict;
using pickled::Value;

constexpr std::size_t kMostStateBytes = std::size_t{16} << 20;
constexpr const char* kTensor = "$tensor";
constexpr const char* kTuple = "$tuple";
constexpr const char* kDict = "$dict";
constexpr const char* kBytes = "$bytes";
constexpr const char* kFloat = "$float";

std::string KeyText(const Value& key) {
  if (const auto* const text = key.As<std::string>()) return *text;
  if (const auto* const number = key.As<std::int64_t>()) return std::to_string(*number);
  return "?";
}

// The path of "a.b" is ".a.b", so that a key without text is told from the root.
std::string Joined(const std::string& path, const std::string& key) { return path + "." + key; }
std::string NameAt(const std::string& path) { return path.empty() ? path : path.substr(1); }

void Collect(const Value& value, const std::string& path, std::vector<NamedLayout>& found) {
  if (const auto* const layout = value.As<TensorLayout>()) found.push_back({NameAt(path), layout});
  if (const auto* const dict = value.As<Dict>()) {
    for (const auto& [key, item] : dict->entries) Collect(item, Joined(path, KeyText(key)), found);
  }
  if (const auto* const list = value.As<pickled::List>()) {
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      Collect(list->items[i], Joined(path, std::to_string(i)), found);
    }
  }
}

std::string HexOf(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto number = static_cast<unsigned char>(byte);
    text += "0123456789abcdef"[number >> 4];
    text += "0123456789abcdef"[number & 15];
  }
  return text;
}

std::optional<std::string> BytesOfHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, number, 16);
    if (error != std::errc() || end != text.data() + i + 2) return std::nullopt;
    bytes += static_cast<char>(number);
  }
  return bytes;
}

// --------------------------------------------------------------------------------------------------------- writing

class Formatter {
 public:
  json Of(const Value& value, const std::string& path) {
    return std::visit([&](const auto& one) { return Form(one, path); }, value.any);
  }
  [[nodiscard]] const std::optional<std::string>& refused() const { return refused_; }

 private:
  static json Form(std::monostate, const std::string&) { return nullptr; }
  static json Form(bool flag, const std::string&) { return flag; }
  static json Form(std::int64_t number, const std::string&) { return number; }
  static json Form(double number, const std::string&) {
    if (std::isfinite(number)) return number;
    return {{kFloat, std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf"}};
  }
  static json Form(const std::string& text, const std::string&) {
    return IsUtf8(text) ? json(text) : json{{kBytes, HexOf(text)}};
  }
  static json Form(const pickled::Bytes& bytes, const std::string&) { return {{kBytes, HexOf(bytes.data)}}; }
  static json Form(const TensorLayout&, const std::string& path) { return {{kTensor, NameAt(path)}}; }
  json Form(const pickled::List& list, const std::string& path) { return Items(list.items, path); }
  json Form(const pickled::Tuple& tuple, const std::string& path) { return {{kTuple, Items(tuple.items, path)}}; }
  json Form(const Dict& dict, const std::string& path) {
    return HasPlainKeys(dict) ? PlainDict(dict, path) : AnyDict(dict, path);
  }
  // FormatState() refuses the rest.
  template <class Other>
  json Form(const Other& other, const std::string& path) {
    if (!refused_) refused_ = NameAt(path);
    return Shown(other, path);
  }
  static json Shown(const pickled::LongInteger& number, const std::string&) {
    return {{"$int", HexOf(std::string(number.bytes.rbegin(), number.bytes.rend()))}};
  }
  static json Shown(const std::complex<double>& number, const std::string& path) {
    return {{"$complex", json::array({Form(number.real(), path), Form(number.imag(), path)})}};
  }
  json Shown(const pickled::Set& set, const std::string& path) { return {{"$set", Items(set.items, path)}}; }
  static json Shown(const pickled::Size& size, const std::string&) { return {{"$size", size.sizes}}; }
  static json Shown(DType dtype, const std::string&) { return {{"$dtype", DTypeName(dtype)}}; }
  static json Shown(const pickled::Device& device, const std::string&) {
    return {{"$device", device.type + (device.index ? ":" + std::to_string(*device.index) : "")}};
  }
  static json Shown(const pickled::Storage& storage, const std::string&) {
    return {{"$storage", {{"index", storage.storage}, {"dtype", DTypeName(storage.dtype)}}}};
  }
  static json Shown(const pickled::NumericArray& array, const std::string&) {
    return {{"$array",
             {{"dtype", DTypeName(array.dtype)},
              {"shape", array.shape},
              {"fortran", array.is_fortran},
              {"data", HexOf(array.data)}}}};
  }
  static json Shown(const pickled::Refused& refused, const std::string&) { return {{"$refused", refused.why}}; }

  static bool HasPlainKeys(const Dict& dict) {
    for (const auto& [key, item] : dict.entries) {
      const auto* const text = key.As<std::string>();
      if (text == nullptr || text->starts_with('$') || !IsUtf8(*text)) return false;
    }
    return true;
  }
  json PlainDict(const Dict& dict, const std::string& path) {
    json object = json::object();
    for (const auto& [key, item] : dict.entries) object[*key.As<std::string>()] = Of(item, Joined(path, KeyText(key)));
    return object;
  }
  json AnyDict(const Dict& dict, const std::string& path) {
    json pairs = json::array();
    for (const auto& [key, item] : dict.entries) {
      pairs.push_back(json::array({Of(key, path), Of(item, Joined(path, KeyText(key)))}));
    }
    return {{kDict, std::move(pairs)}};
  }
  json Items(const std::vector<Value>& items, const std::string& path) {
    json array = json::array();
    for (std::size_t i = 0; i < items.size(); ++i) array.push_back(Of(items[i], Joined(path, std::to_string(i))));
    return array;
  }

  std::optional<std::string> refused_;
};

// --------------------------------------------------------------------------------------------------------- reading

// JSON is parsed up to kMostLevels deep, so this recursion ends.
class Parser {
 public:
  Parser(const std::string& file, const FindLayout& find) : file_(file), find_(find) {}

  [[nodiscard]] Error Wrong() const {
    return Undecodable(file_, "", 0, "the metadata '" + std::string(kStateKey) + "' is not what gcsflux writes there");
  }

  Result<Value> Of(const json& one) {
    switch (one.type()) {
      case json::value_t::null: return Value{};
      case json::value_t::boolean: return Value{.any = one.get<bool>()};
      case json::value_t::number_integer: return Value{.any = one.get<std::int64_t>()};
      case json::value_t::number_float: return Value{.any = one.get<double>()};
      case json::value_t::string: return Value{.any = one.get<std::string>()};
      case json::value_t::array: return Sequence<pickled::List>(one);
      case json::value_t::object: return Object(one);
      case json::value_t::number_unsigned:
        if (one.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return Wrong();
        return Value{.any = one.get<std::int64_t>()};
      default: return Wrong();
    }
  }

 private:
  template <class Kind>
  Result<Value> Sequence(const json& array) {
    if (!array.is_array()) return Wrong();
    Kind sequence;
    for (const json& one : array) {
      auto item = Of(one);
      if (!item) return item.error();
      sequence.items.push_back(*std::move(item));
    }
    return Value{.any = std::move(sequence)};
  }

  Result<Value> Object(const json& object) {
    if (object.size() == 1 && object.begin().key().starts_with('$')) {
      return Special(object.begin().key(), object.begin().value());
    }
    Dict dict;
    for (const auto& [key, one] : object.items()) {
      auto item = Of(one);
      if (!item) return item.error();
      dict.entries.push_back({{.any = key}, *std::move(item)});
    }
    return Value{.any = std::move(dict)};
  }

  Result<Value> Special(const std::string& key, const json& value) {
    if (key == kTuple) return Sequence<pickled::Tuple>(value);
    if (key == kDict) return Pairs(value);
    if (!value.is_string()) return Wrong();
    const auto& text = value.get_ref<const std::string&>();
    if (key == kTensor) return Tensor(text);
    if (key == kBytes) return Bytes(text);
    if (key == kFloat && text == "nan") return Value{.any = std::nan("")};
    if (key == kFloat && text == "inf") return Value{.any = HUGE_VAL};
    if (key == kFloat && text == "-inf") return Value{.any = -HUGE_VAL};
    return Wrong();
  }

  Result<Value> Pairs(const json& pairs) {
    if (!pairs.is_array()) return Wrong();
    Dict dict;
    for (const json& pair : pairs) {
      if (!pair.is_array() || pair.size() != 2) return Wrong();
      auto key = Of(pair[0]);
      if (!key) return key.error();
      auto item = Of(pair[1]);
      if (!item) return item.error();
      dict.entries.push_back({*std::move(key), *std::move(item)});
    }
    return Value{.any = std::move(dict)};
  }

  Result<Value> Tensor(const std::string& name) {
    auto layout = find_(name);
    if (!layout) return layout.error();
    return Value{.any = *std::move(layout)};
  }

  Result<Value> Bytes(const std::string& hex) {
    auto bytes = BytesOfHex(hex);
    if (!bytes) return Wrong();
    return Value{.any = pickled::Bytes{.data = *std::move(bytes)}};
  }

  const std::string& file_;
  const FindLayout& find_;
};

const Value* FindBelow(const Value& value, std::string_view name);

// The item, or what is below it, if the name begins with the item's own.
const Value* FindIn(const Value& item, const std::string& text, std::string_view name) {
  if (!name.starts_with(text)) return nullptr;
  if (name.size() == text.size()) return &item;
  return name[text.size()] == '.' ? FindBelow(item, name.substr(text.size() + 1)) : nullptr;
}

const Value* FindBelow(const Value& value, std::string_view name) {
  if (const auto* const dict = value.As<Dict>()) {
    for (const auto& [key, item] : dict->entries) {
      if (const Value* const found = FindIn(item, KeyText(key), name)) return found;
    }
    return nullptr;
  }
  const auto* const list = value.As<pickled::List>();
  const auto* const tuple = value.As<pickled::Tuple>();
  if (list == nullptr && tuple == nullptr) return nullptr;
  const std::vector<Value>& items = list != nullptr ? list->items : tuple->items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const Value* const found = FindIn(items[i], std::to_string(i), name)) return found;
  }
  return nullptr;
}

}  // namespace

std::vector<NamedLayout> NamedLayouts(const Value& value) {
  std::vector<NamedLayout> found;
  Collect(value, "", found);
  return found;
}

Result<std::string> FormatState(const Value& value) {
  Formatter formatter;
  const json state = formatter.Of(value, "");
  if (const auto& refused = formatter.refused()) {
    return Error{ErrorCode::kInvalidArgument, "safetensors has no place for the value " + internal::Shown(*refused) +
                                                  "; save as a file of torch.save"};
  }
  std::string text = state.dump();
  if (text.size() <= kMostStateBytes) return text;
  return Error{ErrorCode::kInvalidArgument, "the values beside the tensors would take " + std::to_string(text.size()) +
                                                " bytes of metadata, and " + std::to_string(kMostStateBytes) +
                                                " are the most; save as a file of torch.save"};
}

std::string ValueAsJson(const Value& value, std::string_view name) {
  const json shown = Formatter().Of(value, name.empty() ? "" : "." + std::string(name));
  return shown.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Value> ParseState(std::string_view text, const std::string& file, const FindLayout& find) {
  Parser parser(file, find);
  bool is_refused = text.size() > kMostStateBytes || HasZeroByte(text);
  const auto bound = [&](int depth, json::parse_event_t, const json&) {
    is_refused = is_refused || depth > kMostLevels;
    return depth <= kMostLevels;
  };
  const json state = is_refused ? json(json::value_t::discarded) : json::parse(text, bound, false);
  if (is_refused || state.is_discarded()) return parser.Wrong();
  return parser.Of(state);
}

const Value* FindByName(const Value& root, std::string_view name) {
  return name.empty() ? &root : FindBelow(root, name);
}

}  // namespace gcsflux::internal
