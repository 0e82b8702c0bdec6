#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "formats/bytes/element_value.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/make_buffer.h"
#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kPiece = 8 << 20;
constexpr std::uint64_t kBatch = 16 << 20;

// One of the checkpoints, by name.
struct Side {
  explicit Side(const StoredCheckpoint& opened) : checkpoint(opened) {}

  Result<void> Fill() {
    for (const StoredTensor& tensor : checkpoint.tensors()) {
      if (by_name.emplace(tensor.name, &tensor).second) continue;
      return Error{ErrorCode::kInvalidArgument,
                   checkpoint.name() + ": two tensors have the name " + internal::Shown(tensor.name)};
    }
    for (const RefusedValue& value : checkpoint.refused()) by_name.emplace(value.name, nullptr);
    return {};
  }

  const StoredCheckpoint& checkpoint;
  std::map<std::string_view, const StoredTensor*> by_name = {};  // Null if it is refused.
};

std::string Described(const TensorLayout& layout) {
  std::string text(DTypeName(layout.dtype));
  text += " [";
  for (std::size_t i = 0; i < layout.shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(layout.shape[i]);
  return text + "]";
}

bool IsFlat(const StoredTensor& tensor) { return tensor.layout.strides == ContiguousStrides(tensor.layout.shape); }

StoredTensor FlatPart(const StoredTensor& tensor, std::uint64_t begin, std::uint64_t count) {
  StoredTensor part = tensor;
  part.layout.offset += begin;
  part.layout.shape = {static_cast<std::int64_t>(count)};
  part.layout.strides = {1};
  return part;
}

std::span<std::byte> BufferIn(std::string& bytes) { return std::as_writable_bytes(std::span(bytes)); }

// The differences of two tensors' elements so far.
class Elements {
 public:
  explicit Elements(DType dtype) : dtype_(dtype) {}

  void Add(std::string_view a, std::string_view b) {
    if (a == b) return;
    const std::size_t element = ElementBytes(dtype_);
    for (std::size_t at = 0; at < a.size(); at += element) {
      if (std::memcmp(a.data() + at, b.data() + at, element) == 0) continue;
      ++different_;
      const long double difference = internal::ElementDifference(
          dtype_, reinterpret_cast<const std::byte*>(a.data() + at), reinterpret_cast<const std::byte*>(b.data() + at));
      if (!std::isnan(largest_) && !(difference <= largest_)) largest_ = difference;
    }
  }

  [[nodiscard]] std::uint64_t different() const { return different_; }
  [[nodiscard]] double largest() const { return static_cast<double>(largest_); }

 private:
  DType dtype_;
  std::uint64_t different_ = 0;
  long double largest_ = 0;
};

class Comparison {
 public:
  Comparison(const StoredCheckpoint& first, const StoredCheckpoint& second,
             const std::function<void(const TensorDifference&)>& on_difference)
      : first_(first), second_(second), on_difference_(on_difference) {}

  Result<CompareReport> Run() {
    for (Side* side : {&first_, &second_}) {
      if (auto filled = side->Fill(); !filled) return filled.error();
    }
    for (const auto& [name, tensor] : first_.by_name) {
      const auto other = second_.by_name.find(name);
      if (other == second_.by_name.end()) {
        Tell({.name = std::string(name), .kind = TensorDifferenceKind::kOnlyInFirst});
      } else if (auto compared = Compare(name, tensor, other->second); !compared) {
        return compared.error();
      }
    }
    if (auto compared = CompareBatch(); !compared) return compared.error();
    for (const auto& [name, tensor] : second_.by_name) {
      if (first_.by_name.find(name) != first_.by_name.end()) continue;
      Tell({.name = std::string(name), .kind = TensorDifferenceKind::kOnlyInSecond});
    }
    return report_;
  }

 private:
  using Pair = std::pair<const StoredTensor*, const StoredTensor*>;

  Result<void> Compare(std::string_view name, const StoredTensor* a, const StoredTensor* b) {
    if (a == nullptr || b == nullptr) {
      Tell({.name = std::string(name), .kind = TensorDifferenceKind::kNotRead, .why = "it is not read"});
      return {};
    }
    if (a->layout.dtype != b->layout.dtype || a->layout.shape != b->layout.shape) {
      Tell({.name = a->name,
            .kind = TensorDifferenceKind::kTypeOrShape,
            .why = Described(a->layout) + ", and " + Described(b->layout)});
      return {};
    }
    const std::uint64_t bytes = TensorBytes(a->layout);
    if (bytes > kPiece && IsFlat(*a) && IsFlat(*b)) return CompareInPieces(*a, *b);
    batch_.emplace_back(a, b);
    batch_bytes_ += 2 * std::min(bytes, kBatch) + 256;
    return batch_bytes_ > kBatch ? CompareBatch() : Result<void>();
  }

  Result<void> CompareInPieces(const StoredTensor& a, const StoredTensor& b) {
    const std::uint64_t element = ElementBytes(a.layout.dtype);
    const std::uint64_t count = TensorBytes(a.layout) / element;
    Elements elements(a.layout.dtype);
    std::string buffers[2];
    for (std::uint64_t at = 0; at < count; at += kPiece / element) {
      const std::uint64_t now = std::min(count - at, kPiece / element);
      for (std::string& buffer : buffers) {
        const bool is_first = &buffer == buffers;
        const StoredTensor part = FlatPart(is_first ? a : b, at, now);
        buffer.resize(static_cast<std::size_t>(now * element));
        const auto& side = is_first ? first_ : second_;
        if (auto read = side.checkpoint.ReadTensor(part, BufferIn(buffer)); !read) return read;
      }
      elements.Add(buffers[0], buffers[1]);
    }
    Tell(a.name, elements);
    return {};
  }

  // Small tensors with one call of each source.
  Result<void> CompareBatch() {
    std::vector<std::string> buffers[2];
    for (std::vector<std::string>& side : buffers) {
      const bool is_first = &side == buffers;
      for (const Pair& pair : batch_) {
        auto buffer = internal::MakeBuffer(TensorBytes(pair.first->layout), internal::Shown(pair.first->name));
        if (!buffer) return buffer.error();
        side.push_back(*std::move(buffer));
      }
      std::vector<TensorRead> reads;
      for (std::size_t i = 0; i < batch_.size(); ++i) {
        reads.push_back({is_first ? batch_[i].first : batch_[i].second, BufferIn(side[i])});
      }
      const auto& checkpoint = (is_first ? first_ : second_).checkpoint;
      if (auto read = checkpoint.ReadTensors(reads); !read) return read;
    }
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      Elements elements(batch_[i].first->layout.dtype);
      elements.Add(buffers[0][i], buffers[1][i]);
      Tell(batch_[i].first->name, elements);
    }
    batch_.clear();
    batch_bytes_ = 0;
    return {};
  }

  void Tell(const std::string& name, const Elements& elements) {
    if (elements.different() == 0) {
      ++report_.same;
      return;
    }
    Tell({.name = name, .different_elements = elements.different(), .largest = elements.largest()});
  }

  void Tell(const TensorDifference& difference) {
    ++report_.different;
    if (on_difference_) on_difference_(difference);
  }

  Side first_;
  Side second_;
  const std::function<void(const TensorDifference&)>& on_difference_;
  std::vector<Pair> batch_;
  std::uint64_t batch_bytes_ = 0;
  CompareReport report_;
};

}  // namespace

Result<CompareReport> CompareCheckpoints(const StoredCheckpoint& first, const StoredCheckpoint& second,
                                         const std::function<void(const TensorDifference&)>& on_difference) {
  return Comparison(first, second, on_difference).Run();
}

}  // namespace gcsflux
