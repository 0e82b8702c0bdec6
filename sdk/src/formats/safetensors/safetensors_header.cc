#include <algorithm>
#include <charconv>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/bytes/little_endian.h"
#include "formats/safetensors/safetensors.h"
#include "formats/safetensors/safetensors_json.h"
#include "formats/safetensors/safetensors_types.h"

namespace gcsflux {
namespace {

using internal::Shown;
using internal::Undecodable;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kFirstRead = 256 << 10;

Error BrokenTensor(const std::string& file, const SafeTensor& tensor, const std::string& why) {
  return Undecodable(file, "", tensor.range.begin, "tensor " + Shown(tensor.name) + " " + why);
}

Result<std::string> ReadHeaderText(const ByteSource& source) {
  std::string text(static_cast<std::size_t>(std::min(source.size, kFirstRead)), '\0');
  if (auto read = source.read_at(0, std::as_writable_bytes(std::span(text))); !read) return read.error();
  if (text.size() < kLengthBytes) return Undecodable(source.name, "", 0, "the file is too short for safetensors");
  const auto length = internal::FromLittleEndian<std::uint64_t>(text);
  if (length > internal::kMostHeaderBytes || length > source.size - kLengthBytes) {
    return Undecodable(source.name, "", 0,
                       "the header should have " + std::to_string(length) +
                           " bytes, which is more than the file or the limit of 100 MB allows");
  }
  const std::size_t had = text.size();
  text.resize(static_cast<std::size_t>(kLengthBytes + length));
  if (had < text.size()) {
    const auto rest = std::as_writable_bytes(std::span(text)).subspan(had);
    if (auto read = source.read_at(had, rest); !read) return read.error();
  }
  return text;
}

// The bytes that shape and type require. Nothing if that is not a whole number.
std::optional<std::uint64_t> WantedBytes(const SafeTensor& tensor, const internal::SafeType& type) {
  const auto count = ElementCount(tensor.shape);
  std::uint64_t bits = 0;
  if (!count || __builtin_mul_overflow(*count, type.bits, &bits) || bits % 8 != 0) return std::nullopt;
  return bits / 8;
}

// Converts offsets behind the header to places in the file.
Result<void> CheckTensor(SafeTensor& tensor, const std::string& file, std::uint64_t header_end,
                         std::uint64_t file_size) {
  if (tensor.range.begin > tensor.range.end || tensor.range.end > file_size - header_end) {
    return BrokenTensor(file, tensor, "lies outside of the file");
  }
  tensor.range = {tensor.range.begin + header_end, tensor.range.end + header_end};
  const internal::SafeType* const type = internal::FindSafeType(tensor.type);
  if (type == nullptr) return {};  // A newer type: its length is unknown, and it is refused when it is requested.
  tensor.dtype = type->dtype;
  const auto wanted = WantedBytes(tensor, *type);
  if (wanted && *wanted == tensor.range.size()) return {};
  return BrokenTensor(
      file, tensor,
      "has " + std::to_string(tensor.range.size()) + " bytes, which is not what its shape and type ask for");
}

Result<void> CheckPlaces(const SafetensorsHeader& header, std::uint64_t begin, std::uint64_t end) {
  std::vector<const SafeTensor*> by_place;
  by_place.reserve(header.tensors.size());
  for (const SafeTensor& tensor : header.tensors) by_place.push_back(&tensor);
  std::sort(by_place.begin(), by_place.end(), [](const SafeTensor* a, const SafeTensor* b) {
    return std::pair(a->range.begin, a->range.end) < std::pair(b->range.begin, b->range.end);
  });
  for (const SafeTensor* tensor : by_place) {
    if (tensor->range.begin != begin) {
      return BrokenTensor(header.file, *tensor, "leaves a hole before it, or overlaps with the one before");
    }
    begin = tensor->range.end;
  }
  if (begin == end) return {};
  return Undecodable(header.file, "", begin, "the file is longer than its tensors are");
}

template <class Items, class NameOf>
const std::string* FindTwice(const Items& items, NameOf name_of) {
  std::vector<const std::string*> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(&name_of(item));
  std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const auto twice =
      std::adjacent_find(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a == *b; });
  return twice == names.end() ? nullptr : *twice;
}

std::optional<std::uint32_t> ParseChecksum(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 8 || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class NamesOf {
 public:
  explicit NamesOf(std::vector<SafeTensor>& tensors) {
    by_name_.reserve(tensors.size());
    for (SafeTensor& tensor : tensors) by_name_.push_back(&tensor);
    std::sort(by_name_.begin(), by_name_.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  }
  SafeTensor* Find(std::string_view name) const {
    const auto found = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                        [](const SafeTensor* a, std::string_view b) { return a->name < b; });
    return found == by_name_.end() || (*found)->name != name ? nullptr : *found;
  }

 private:
  std::vector<SafeTensor*> by_name_;
};

// A file has checksums for all tensors or for none, so a changed name is detected.
Result<void> TakeChecksums(SafetensorsHeader& header, const NamesOf& names) {
  const auto is_checksum = [](const auto& entry) { return entry.first.starts_with(internal::kChecksumPrefix); };
  std::size_t count = 0;
  for (const auto& entry : header.metadata) {
    if (!is_checksum(entry)) continue;
    SafeTensor* const tensor = names.Find(std::string_view(entry.first).substr(internal::kChecksumPrefix.size()));
    const auto checksum = ParseChecksum(entry.second);
    if (tensor == nullptr || !checksum) {
      return internal::FormatError(ErrorCode::kCorrupted, header.file, "", kLengthBytes,
                                   "the checksum " + Shown(entry.first) + " is not that of a tensor");
    }
    tensor->crc32c = checksum;
    ++count;
  }
  if (count != 0 && count != header.tensors.size()) {
    return internal::FormatError(ErrorCode::kCorrupted, header.file, "", kLengthBytes,
                                 "some tensors have a checksum, and others have none");
  }
  std::erase_if(header.metadata, is_checksum);
  return {};
}

Result<void> TakeSlices(SafetensorsHeader& header, const NamesOf& names) {
  const auto entry = std::find_if(header.metadata.begin(), header.metadata.end(),
                                  [](const auto& one) { return one.first == internal::kSlicesName; });
  if (entry == header.metadata.end()) return {};
  auto slices = internal::ParseSlicesJson(entry->second, header.file);
  if (!slices) return slices.error();
  for (auto& [name, offsets] : *slices) {
    SafeTensor* const tensor = names.Find(name);
    if (tensor == nullptr || tensor->shape.size() != offsets.size() || !tensor->saved_offsets.empty()) {
      return Undecodable(
          header.file, "", kLengthBytes,
          "DCP_SHARDING_INFO has " + Shown(name) + ", which is not a tensor of so many dimensions, or twice");
    }
    tensor->saved_offsets = std::move(offsets);
  }
  return {};
}

}  // namespace

Result<SafetensorsHeader> ReadSafetensorsHeader(const ByteSource& source) {
  const auto text = ReadHeaderText(source);
  if (!text) return text.error();
  auto parsed = internal::ParseHeaderJson(std::string_view(*text).substr(kLengthBytes), source.name, kLengthBytes);
  if (!parsed) return parsed.error();
  SafetensorsHeader header{
      .file = source.name, .tensors = std::move(parsed->tensors), .metadata = std::move(parsed->metadata)};
  const auto* const tensor = FindTwice(
      header.tensors, [](const SafeTensor& one) -> const auto& { return one.name; });
  const auto* const entry = FindTwice(
      header.metadata, [](const auto& one) -> const auto& { return one.first; });
  if (const std::string* const twice = tensor != nullptr ? tensor : entry) {
    return Undecodable(source.name, "", kLengthBytes, "the name " + Shown(*twice) + " is there twice");
  }
  for (SafeTensor& one : header.tensors) {
    if (auto checked = CheckTensor(one, source.name, text->size(), source.size); !checked) return checked.error();
  }
  if (auto places = CheckPlaces(header, text->size(), source.size); !places) return places.error();
  const NamesOf names(header.tensors);
  if (auto checksums = TakeChecksums(header, names); !checksums) return checksums.error();
  if (auto slices = TakeSlices(header, names); !slices) return slices.error();
  return header;
}

}  // namespace gcsflux
