#include "formats/tagged_json.h"

#include <bit>

#include "formats/read_storage.h"

namespace gcsflux::formats_tests {
namespace {

using nlohmann::json;
using pickled::Value;

std::string HexOfText(std::string_view text) { return Hex(std::as_bytes(std::span(text))); }

std::string HexOfDouble(double value) {
  std::string digits;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) digits += static_cast<char>(static_cast<unsigned char>(bits >> shift));
  return HexOfText(digits);
}

class Tagger {
 public:
  explicit Tagger(const StoredCheckpoint& file) : file_(file) {}

  json Of(const Value& value) {
    return std::visit([&](const auto& held) { return Tag(held); }, value.any);
  }

 private:
  json Items(const std::vector<Value>& items) {
    json array = json::array();
    for (const Value& item : items) array.push_back(Of(item));
    return array;
  }

  json Entries(const pickled::Entries& entries) {
    json array = json::array();
    for (const auto& [key, value] : entries) array.push_back(json::array({Of(key), Of(value)}));
    return array;
  }

  json Tag(std::monostate) { return json::array({"none"}); }
  json Tag(bool value) { return json::array({"bool", value}); }
  json Tag(std::int64_t value) { return json::array({"int", std::to_string(value)}); }
  json Tag(const pickled::LongInteger& value) { return json::array({"long", HexOfText(value.bytes)}); }
  json Tag(double value) { return json::array({"float", HexOfDouble(value)}); }
  json Tag(const std::complex<double>& value) {
    return json::array({"complex", HexOfDouble(value.real()), HexOfDouble(value.imag())});
  }
  json Tag(const std::string& value) { return json::array({"str", value}); }
  json Tag(const pickled::Bytes& value) {
    return json::array({value.is_mutable ? "bytearray" : "bytes", HexOfText(value.data)});
  }
  json Tag(const pickled::List& value) { return json::array({"list", Items(value.items)}); }
  json Tag(const pickled::Tuple& value) { return json::array({"tuple", Items(value.items)}); }
  json Tag(const pickled::Set& value) {
    return json::array({value.is_frozen ? "frozenset" : "set", Items(value.items)});
  }
  json Tag(const pickled::Dict& value) {
    static constexpr const char* kKinds[] = {"dict", "OrderedDict", "defaultdict", "Counter", "object"};
    return json::array(
        {kKinds[static_cast<std::size_t>(value.kind)], Entries(value.entries), Entries(value.attributes)});
  }
  json Tag(const pickled::Size& value) { return json::array({"Size", value.sizes}); }
  json Tag(const DType& value) { return json::array({"dtype", std::string(DTypeName(value))}); }
  json Tag(const pickled::Device& value) {
    return json::array({"device", value.type, value.index ? json(*value.index) : json()});
  }
  json Tag(const pickled::Refused&) { return json::array({"refused"}); }
  json Tag(const pickled::NumericArray& value) {
    return json::array(
        {"array", std::string(DTypeName(value.dtype)), value.shape, value.is_fortran, HexOfText(value.data)});
  }
  json Tag(const pickled::Storage& value) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(file_.reader().storages()[value.storage].bytes));
    const auto read = ReadStorage(file_, value.storage, bytes);
    return json::array({"storage", std::string(DTypeName(value.dtype)), read.ok() ? Hex(bytes) : read.error().message});
  }
  json Tag(const TensorLayout& value) {
    const auto count = static_cast<std::size_t>(*ElementCount(value.shape));
    std::vector<std::byte> bytes(count * ElementBytes(value.dtype));
    const auto read = file_.ReadTensor({.name = "", .layout = value}, bytes);
    return json::array({"tensor", std::string(DTypeName(value.dtype)), value.shape, value.strides, value.offset,
                        value.storage, value.requires_grad, value.is_parameter,
                        read.ok() ? Hex(bytes) : read.error().message});
  }

  const StoredCheckpoint& file_;
};

}  // namespace

std::string Hex(std::span<const std::byte> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[static_cast<std::size_t>(byte) >> 4];
    text += kDigits[static_cast<std::size_t>(byte) & 15];
  }
  return text;
}

json TaggedJson(const StoredCheckpoint& file, const Value& value) { return Tagger(file).Of(value); }

}  // namespace gcsflux::formats_tests
