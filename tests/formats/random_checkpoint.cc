#include "formats/random_checkpoint.h"

#include <gtest/gtest.h>

#include "formats/memory_file.h"

namespace gcsflux::formats_tests {
namespace {

using pickled::Value;

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  RandomCheckpoint Make() {
    pickled::Dict root{.kind = Below(2) == 0 ? pickled::DictKind::kDict : pickled::DictKind::kOrderedDict,
                       .entries = Entries(1 + Below(12), 0)};
    if (root.kind == pickled::DictKind::kOrderedDict) root.attributes = {{{.any = "_metadata"}, MakeValue(3)}};
    made_.contents.root = {.any = std::move(root)};
    return std::move(made_);
  }

 private:
  std::size_t Below(std::size_t bound) { return random_() % bound; }

  std::string Bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_());
    return bytes;
  }

  std::string Text() {
    static const std::vector<std::string> kTexts = {"", "weight", "conv1.bias", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
                                                    "a\nb"};
    return Below(3) == 0 ? kTexts[Below(kTexts.size())] : "k" + std::to_string(Below(1000));
  }

  pickled::Entries Entries(std::size_t count, int depth) {
    pickled::Entries entries;
    for (std::size_t i = 0; i < count; ++i) {
      Value key = Below(5) == 0 ? Value{.any = static_cast<std::int64_t>(i)} : Value{.any = Text() + std::to_string(i)};
      entries.emplace_back(std::move(key), MakeValue(depth + 1));
    }
    return entries;
  }

  std::vector<Value> Items(int depth) {
    std::vector<Value> items(Below(6));
    for (Value& item : items) item = MakeValue(depth + 1);
    return items;
  }

  std::int64_t Integer() {
    const auto bits = Below(64);
    return static_cast<std::int64_t>(((std::uint64_t{random_()} << 32) | random_()) >> bits);
  }

  std::vector<std::int64_t> Sizes() {
    std::vector<std::int64_t> sizes(Below(5));
    for (std::int64_t& size : sizes) size = static_cast<std::int64_t>(Below(5));
    return sizes;
  }

  TensorLayout Tensor() {
    TensorLayout layout{.dtype = static_cast<DType>(Below(static_cast<std::size_t>(DType::kComplex128) + 1)),
                        .requires_grad = Below(2) == 0,
                        .is_parameter = Below(4) == 0,
                        .offset = Below(3),
                        .shape = Sizes()};
    layout.strides = ContiguousStrides(layout.shape);
    if (Below(2) == 0) std::reverse(layout.strides.begin(), layout.strides.end());
    if (Below(4) == 0 && !layout.strides.empty()) layout.strides.front() = 0;
    const auto touched = TouchedBytes(layout, ~std::uint64_t{0});
    EXPECT_TRUE(touched.has_value());
    // A view of the previous storage, if it fits.
    const auto& lengths = made_.contents.storage_bytes;
    if (!lengths.empty() && last_dtype_ == layout.dtype && touched->end <= lengths.back()) {
      layout.storage = lengths.size() - 1;
      return layout;
    }
    last_dtype_ = layout.dtype;
    // The offset of a view without elements may lie outside its storage.
    const std::uint64_t least = ElementCount(layout.shape) == 0 ? 0 : touched->end;
    const std::uint64_t length = least + Below(3) * ElementBytes(layout.dtype);
    made_.storages.push_back(Bytes(static_cast<std::size_t>(length)));
    made_.contents.storage_bytes.push_back(length);
    layout.storage = lengths.size() - 1;
    return layout;
  }

  Value MakeValue(int depth) {
    const std::size_t kinds = depth > 4 ? 14 : 18;
    switch (Below(kinds)) {
      case 0: return {};
      case 1: return {.any = Below(2) == 0};
      case 2: return {.any = Integer()};
      case 3: return {.any = pickled::LongInteger{Bytes(8 + Below(30)) + "\x11"}};
      case 4: return {.any = static_cast<double>(Integer()) / 1024};
      case 5: return {.any = std::complex<double>(1.5, static_cast<double>(Below(9)))};
      case 6: return {.any = Text()};
      case 7: return {.any = pickled::Bytes{Bytes(Below(40)), Below(2) == 0}};
      case 8: return {.any = pickled::Size{Sizes()}};
      case 9: return {.any = static_cast<DType>(Below(static_cast<std::size_t>(DType::kComplex128) + 1))};
      case 10: return {.any = Below(2) == 0 ? pickled::Device{"cpu", {}} : pickled::Device{"cuda", 1}};
      case 11:
      case 12:
      case 13: return {.any = Tensor()};
      case 14: return {.any = pickled::List{Items(depth)}};
      case 15: return {.any = pickled::Tuple{Items(depth)}};
      case 16: return {.any = pickled::Set{{{.any = Integer()}, {.any = Text()}}}};
      default: return {.any = pickled::Dict{.entries = Entries(Below(4), depth)}};
    }
  }

  std::mt19937 random_;
  RandomCheckpoint made_;
  std::optional<DType> last_dtype_;
};

void Renumber(const StoredCheckpoint& file, Value& value);

void RenumberAll(const StoredCheckpoint& file, std::vector<Value>& values) {
  for (Value& value : values) Renumber(file, value);
}

void RenumberAll(const StoredCheckpoint& file, pickled::Entries& entries) {
  for (auto& [key, value] : entries) Renumber(file, value);
}

void Renumber(const StoredCheckpoint& file, Value& value) {
  if (auto* const tensor = std::get_if<TensorLayout>(&value.any)) {
    tensor->storage = std::stoull(file.reader().storages()[tensor->storage].key);
  } else if (auto* const list = std::get_if<pickled::List>(&value.any)) {
    RenumberAll(file, list->items);
  } else if (auto* const tuple = std::get_if<pickled::Tuple>(&value.any)) {
    RenumberAll(file, tuple->items);
  } else if (auto* const dict = std::get_if<pickled::Dict>(&value.any)) {
    RenumberAll(file, dict->entries);
    RenumberAll(file, dict->attributes);
  }
}

}  // namespace

RandomCheckpoint MakeRandomCheckpoint(unsigned seed) { return Maker(seed).Make(); }

std::string FileOf(const RandomCheckpoint& checkpoint) {
  std::string file;
  const StorageWriter write_storage = [&](std::size_t storage, const ByteSink& sink) {
    return sink(BytesOf(checkpoint.storages[storage]));
  };
  const auto written = WriteTorchFile(checkpoint.contents, write_storage, SinkInto(file));
  EXPECT_TRUE(written.ok()) << written.error().message;
  return file;
}

Value WithWrittenStorages(const StoredCheckpoint& file, Value value) {
  Renumber(file, value);
  return value;
}

}  // namespace gcsflux::formats_tests
