#include "formats/safetensors/safetensors_json.h"

#include <limits>
#include <optional>

#include "formats/bytes/format_error.h"
#include "formats/safetensors/json_events.h"
#include "formats/safetensors/safetensors_types.h"

namespace gcsflux::internal {
namespace {

// The common part of all three: nested objects up to a known depth, and a reason for ending.
class Handler : public JsonHandler {
 public:
  [[nodiscard]] const std::string& why() const { return why_; }

  bool Other() override { return Fail("a value has a type that it cannot have"); }
  bool String(std::string&) override { return Other(); }
  bool Unsigned(std::uint64_t) override { return Other(); }
  bool BeginArray() override { return Other(); }
  bool EndArray() override { return true; }

 protected:
  bool Fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return false;
  }

 private:
  std::string why_;
};

Result<void> Read(std::string_view text, Handler& handler, const std::string& file, std::uint64_t offset) {
  if (const auto error = ReadJson(text, handler)) return Undecodable(file, "", offset + error->offset, error->why);
  if (!handler.why().empty()) return Undecodable(file, "", offset, handler.why());
  return {};
}

std::optional<std::int64_t> Signed(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

class HeaderHandler final : public Handler {
 public:
  ParsedHeader Take() { return std::move(header_); }

  bool BeginObject() override {
    if (++depth_ <= 2 && !is_in_array_) return true;
    return Fail("objects are nested where they should not be");
  }

  bool EndObject() override {
    if (depth_-- == 2 && !is_metadata_) return EndTensor();
    is_metadata_ = false;
    return true;
  }

  bool Key(std::string& key) override {
    if (depth_ == 1) return BeginEntry(key);
    if (is_metadata_) {
      header_.metadata.emplace_back(std::move(key), "");
      return true;
    }
    for (const Field field : {Field::kDtype, Field::kShape, Field::kOffsets}) {
      if (key != kNames[static_cast<std::size_t>(field)]) continue;
      if ((seen_ & (1U << static_cast<unsigned>(field))) != 0) return FailTensor("has " + key + " twice");
      seen_ |= 1U << static_cast<unsigned>(field);
      field_ = field;
      return true;
    }
    return FailTensor("has the unknown field " + Shown(key));
  }

  bool String(std::string& text) override {
    if (depth_ == 2 && is_metadata_) {
      header_.metadata.back().second = std::move(text);
      return true;
    }
    if (depth_ != 2 || field_ != Field::kDtype || is_in_array_) return Other();
    header_.tensors.back().type = std::move(text);
    return true;
  }

  bool Unsigned(std::uint64_t number) override {
    if (!is_in_array_) return Other();
    SafeTensor& tensor = header_.tensors.back();
    if (field_ == Field::kShape) {
      const auto size = Signed(number);
      if (!size) return FailTensor("has a dimension of more than 2^63");
      tensor.shape.push_back(*size);
      return true;
    }
    if (offsets_ == 2) return FailTensor("has more than two offsets");
    (offsets_++ == 0 ? tensor.range.begin : tensor.range.end) = number;
    return true;
  }

  bool BeginArray() override {
    if (depth_ != 2 || is_metadata_ || is_in_array_ || field_ == Field::kDtype) return Other();
    is_in_array_ = true;
    return true;
  }

  bool EndArray() override {
    is_in_array_ = false;
    return true;
  }

 private:
  enum class Field : std::uint8_t { kDtype, kShape, kOffsets };
  static constexpr std::string_view kNames[] = {"dtype", "shape", "data_offsets"};

  bool FailTensor(const std::string& what) { return Fail("tensor " + Shown(header_.tensors.back().name) + " " + what); }

  bool BeginEntry(std::string& key) {
    is_metadata_ = key == kMetadataName;
    if (is_metadata_) {
      if (has_metadata_) return Fail("__metadata__ is there twice");
      has_metadata_ = true;
      return true;
    }
    header_.tensors.push_back({.name = std::move(key)});
    seen_ = 0;
    offsets_ = 0;
    return true;
  }

  bool EndTensor() {
    if (seen_ == 7 && offsets_ == 2) return true;
    return FailTensor("lacks dtype, shape or data_offsets");
  }

  ParsedHeader header_;
  int depth_ = 0;
  bool is_metadata_ = false;
  bool has_metadata_ = false;
  bool is_in_array_ = false;
  Field field_ = Field::kDtype;
  unsigned seen_ = 0;
  int offsets_ = 0;
};

class SlicesHandler final : public Handler {
 public:
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> slices;

  bool BeginObject() override { return ++depth_ <= 2 || Other(); }
  bool EndObject() override {
    --depth_;
    return true;
  }
  bool Key(std::string& key) override {
    if (depth_ != 1) return key == "saved_offsets" || Fail("a slice has the unknown field " + Shown(key));
    slices.emplace_back(std::move(key), std::vector<std::int64_t>());
    return true;
  }
  bool BeginArray() override {
    if (depth_ != 2 || is_in_array_ || !slices.back().second.empty()) return Other();
    is_in_array_ = true;
    return true;
  }
  bool EndArray() override {
    is_in_array_ = false;
    return true;
  }
  bool Unsigned(std::uint64_t number) override {
    const auto offset = Signed(number);
    if (!is_in_array_ || !offset) return Other();
    slices.back().second.push_back(*offset);
    return true;
  }

 private:
  int depth_ = 0;
  bool is_in_array_ = false;
};

// {"metadata": anything, "weight_map": {"name": "file"}}
class IndexHandler final : public Handler {
 public:
  SafetensorsIndex index;
  bool has_map = false;

  bool BeginObject() override { return Begin(true); }
  bool EndObject() override { return End(); }
  bool BeginArray() override { return Begin(false); }
  bool EndArray() override { return End(); }

  bool Key(std::string& key) override {
    if (depth_ == 1) {
      is_map_ = key == "weight_map";
      if (is_map_ && has_map) return Fail("weight_map is there twice");
      has_map = has_map || is_map_;
    } else if (depth_ == 2 && is_map_) {
      index.weight_map.emplace_back(std::move(key), "");
    }
    return true;
  }

  bool String(std::string& text) override {
    if (!is_map_) return depth_ > 0 || Other();
    if (depth_ != 2) return Other();
    index.weight_map.back().second = std::move(text);
    return true;
  }
  // The metadata is for people, and ignored.
  bool Other() override { return (!is_map_ && depth_ > 0) || Handler::Other(); }

 private:
  bool Begin(bool is_object) {
    constexpr int kMostJsonLevels = 64;
    ++depth_;
    if (depth_ == 1) return is_object || Fail("the index is not an object");
    if (is_map_) return (depth_ == 2 && is_object) || Fail("weight_map does not map names to files");
    return depth_ <= kMostJsonLevels || Fail("the index is nested too deeply");
  }
  bool End() {
    if (--depth_ == 1) is_map_ = false;
    return true;
  }

  int depth_ = 0;
  bool is_map_ = false;
};

}  // namespace

Result<ParsedHeader> ParseHeaderJson(std::string_view text, const std::string& file, std::uint64_t offset) {
  if (!text.starts_with('{')) return Undecodable(file, "", offset, "the header is no JSON object");
  HeaderHandler handler;
  if (auto read = Read(text, handler, file, offset); !read) return read.error();
  return handler.Take();
}

Result<std::vector<std::pair<std::string, std::vector<std::int64_t>>>> ParseSlicesJson(std::string_view text,
                                                                                       const std::string& file) {
  SlicesHandler handler;
  if (!text.starts_with('{')) return Undecodable(file, "", 8, std::string(kSlicesName) + " is no JSON object");
  if (const auto error = ReadJson(text, handler)) {
    return Undecodable(file, "", 8, std::string(kSlicesName) + ": " + error->why);
  }
  if (!handler.why().empty()) return Undecodable(file, "", 8, std::string(kSlicesName) + ": " + handler.why());
  return std::move(handler.slices);
}

Result<SafetensorsIndex> ParseIndexJson(std::string_view text, const std::string& file) {
  IndexHandler handler;
  if (auto read = Read(text, handler, file, 0); !read) return read.error();
  if (!handler.has_map) return Undecodable(file, "", 0, "the index has no weight_map");
  return std::move(handler.index);
}

}  // namespace gcsflux::internal
