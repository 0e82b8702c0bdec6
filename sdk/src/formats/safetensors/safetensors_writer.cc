#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/crc32c.h"
#include "base/text/utf8.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/little_endian.h"
#include "formats/safetensors/json_events.h"
#include "formats/safetensors/safetensors.h"
#include "formats/safetensors/safetensors_types.h"

namespace gcsflux {
namespace {

using internal::QuotedJson;
using internal::Shown;

constexpr std::size_t kAlignment = 8;

Error Invalid(std::string why) {
  return {ErrorCode::kInvalidArgument, "this cannot be written as safetensors: " + std::move(why)};
}

Error TooLongAHeader() { return Invalid("the header would have more than 100 MB; shorten the names or the metadata"); }

// Before the bytes are summed. The header also has quotes, shapes and places.
Result<void> CheckLengths(const SafetensorsContents& contents) {
  std::uint64_t texts = 0;
  for (const NamedTensor& tensor : contents.tensors) texts += tensor.name.size() * (contents.has_checksums ? 2 : 1);
  for (const auto& [key, value] : contents.metadata) texts += key.size() + value.size();
  if (texts > internal::kMostHeaderBytes) return TooLongAHeader();
  return {};
}

// The place of a tensor behind the header.
struct Place {
  std::size_t tensor = 0;  // Index in the contents.
  std::string_view type = {};
  FileRange range = {};
};

Result<void> CheckNames(const SafetensorsContents& contents) {
  std::vector<std::string_view> names;
  std::vector<std::string_view> keys;
  for (const NamedTensor& tensor : contents.tensors) names.push_back(tensor.name);
  for (const auto& [key, value] : contents.metadata) {
    if (key.starts_with(internal::kChecksumPrefix)) return Invalid("the metadata's names may not begin with 'crc32c:'");
    if (!internal::IsUtf8(value)) return Invalid("the metadata's value of " + Shown(key) + " is not UTF-8");
    keys.push_back(key);
  }
  for (std::vector<std::string_view>* list : {&names, &keys}) {
    std::sort(list->begin(), list->end());
    const auto twice = std::adjacent_find(list->begin(), list->end());
    if (twice != list->end()) return Invalid("the name " + Shown(std::string(*twice)) + " is there twice");
    for (const std::string_view name : *list) {
      if (!internal::IsUtf8(name)) return Invalid("the name " + Shown(std::string(name)) + " is not UTF-8");
    }
  }
  if (std::binary_search(names.begin(), names.end(), internal::kMetadataName)) {
    return Invalid("no tensor may have the name '__metadata__'");
  }
  return {};
}

// The widest types first, so that each tensor is aligned to its elements; then by name.
Result<std::vector<Place>> PlacesOf(const SafetensorsContents& contents) {
  std::vector<std::size_t> order(contents.tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t tensor) { return -static_cast<int>(ElementBytes(contents.tensors[tensor].dtype)); };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : contents.tensors[a].name < contents.tensors[b].name;
  });
  std::vector<Place> places;
  std::uint64_t at = 0;
  for (const std::size_t index : order) {
    const NamedTensor& tensor = contents.tensors[index];
    const internal::SafeType* const type = internal::FindSafeType(tensor.dtype);
    if (type == nullptr) {
      return Invalid("tensor " + Shown(tensor.name) + " has the type " + std::string(DTypeName(tensor.dtype)) +
                     ", which safetensors lacks");
    }
    const auto count = ElementCount(tensor.shape);
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;
    if (!count || __builtin_mul_overflow(*count, ElementBytes(tensor.dtype), &bytes) ||
        __builtin_add_overflow(at, bytes, &end)) {
      return Invalid("tensor " + Shown(tensor.name) + " has a shape that makes no sense");
    }
    places.push_back({.tensor = index, .type = type->name, .range = {at, end}});
    at = end;
  }
  return places;
}

std::string HexOf(std::uint32_t value) {
  std::string text(8, '0');
  for (std::size_t i = 8; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

template <class Numbers>
std::string ListOf(const Numbers& numbers) {
  std::string text = "[";
  for (const auto number : numbers) text += std::to_string(number) + ",";
  if (text.size() > 1) text.pop_back();
  return text + "]";
}

// `checksums` by tensor.
Result<std::string> HeaderOf(const SafetensorsContents& contents, const std::vector<Place>& places,
                             const std::vector<std::uint32_t>& checksums) {
  std::string metadata;
  for (const auto& [key, value] : contents.metadata) metadata += QuotedJson(key) + ":" + QuotedJson(value) + ",";
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    const std::string key = std::string(internal::kChecksumPrefix) + contents.tensors[i].name;
    metadata += QuotedJson(key) + ":\"" + HexOf(checksums[i]) + "\",";
  }
  std::string json = "{";
  if (!metadata.empty()) {
    metadata.pop_back();
    json += "\"__metadata__\":{" + metadata + "},";
  }
  for (const Place& place : places) {
    const NamedTensor& tensor = contents.tensors[place.tensor];
    json += QuotedJson(tensor.name) + ":{\"dtype\":\"" + std::string(place.type) +
            "\",\"shape\":" + ListOf(tensor.shape) +
            ",\"data_offsets\":" + ListOf(std::array{place.range.begin, place.range.end}) + "},";
  }
  if (json.size() > 1) json.pop_back();
  json += "}";
  json.append((kAlignment - json.size() % kAlignment) % kAlignment, ' ');
  if (json.size() > internal::kMostHeaderBytes) return TooLongAHeader();
  std::string header;
  internal::AppendLittleEndian(header, std::uint64_t{json.size()});
  return header + json;
}

// Writes exactly one tensor's bytes to the sink.
Result<void> PutTensor(const TensorWriter& write_tensor, std::size_t tensor, const std::string& name,
                       std::uint64_t bytes, const ByteSink& sink) {
  std::uint64_t left = bytes;
  const auto another_length = [&] {
    return Invalid("the bytes given for " + Shown(name) + " are not as many as its shape asks for");
  };
  const ByteSink counted = [&](std::span<const std::byte> chunk) -> Result<void> {
    if (chunk.size() > left) return another_length();
    left -= chunk.size();
    return sink(chunk);
  };
  if (auto put = write_tensor(tensor, counted); !put) return put;
  if (left == 0) return {};
  return another_length();
}

Error OtherBytes(const std::string& name) {
  return {ErrorCode::kCorrupted, "tensor " + Shown(name) +
                                     " has other bytes than when its checksum was computed; do not change tensors "
                                     "while they are written, and write it again"};
}

}  // namespace

Result<std::vector<PlacedTensor>> WriteSafetensors(const SafetensorsContents& contents,
                                                   const TensorWriter& write_tensor, const ByteSink& sink) {
  if (auto lengths = CheckLengths(contents); !lengths) return lengths.error();
  if (auto names = CheckNames(contents); !names) return names.error();
  const auto places = PlacesOf(contents);
  if (!places) return places.error();
  std::vector<std::uint32_t> checksums(contents.has_checksums ? contents.tensors.size() : 0);
  for (const Place& place : *places) {
    if (!contents.has_checksums) break;
    std::uint32_t& checksum = checksums[place.tensor];
    const ByteSink extend = [&](std::span<const std::byte> chunk) {
      checksum = internal::ExtendCrc32c(checksum, chunk);
      return Result<void>();
    };
    const std::string& name = contents.tensors[place.tensor].name;
    if (auto put = PutTensor(write_tensor, place.tensor, name, place.range.size(), extend); !put) return put.error();
  }
  const auto header = HeaderOf(contents, *places, checksums);
  if (!header) return header.error();
  if (auto put = sink(std::as_bytes(std::span(*header))); !put) return put.error();
  std::vector<PlacedTensor> placed(contents.tensors.size());
  for (const Place& place : *places) {
    std::uint32_t checksum = 0;
    const ByteSink pass_on = [&](std::span<const std::byte> chunk) {
      if (contents.has_checksums) checksum = internal::ExtendCrc32c(checksum, chunk);
      return sink(chunk);
    };
    const std::string& name = contents.tensors[place.tensor].name;
    if (auto put = PutTensor(write_tensor, place.tensor, name, place.range.size(), pass_on); !put) return put.error();
    if (contents.has_checksums && checksum != checksums[place.tensor]) return OtherBytes(name);
    placed[place.tensor].range = {header->size() + place.range.begin, header->size() + place.range.end};
    if (contents.has_checksums) placed[place.tensor].crc32c = checksum;
  }
  return placed;
}

}  // namespace gcsflux
