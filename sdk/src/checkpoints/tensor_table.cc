#include "checkpoints/tensor_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/message.h"
#include "formats/bytes/little_endian.h"

namespace gcsflux::internal {
namespace {

// The bits of a tensor's first byte. If one of the first five is not set, its value follows.
constexpr std::uint64_t kNextKind = 1;   // The kind is the next one after the last tensor's.
constexpr std::uint64_t kSameFile = 2;   // The file is the last tensor's.
constexpr std::uint64_t kFollows = 4;    // The bytes begin where the last tensor of the file ends.
constexpr std::uint64_t kLength = 8;     // The length is that of the elements.
constexpr std::uint64_t kNextBox = 16;   // The slice is the next one after the last of its kind.
constexpr std::uint64_t kChecksum = 32;  // The column of checksums has one.
constexpr std::size_t kChecksumBytes = 4;

constexpr std::size_t kMostTensors = 8'000'000;

// The size of the block that glibc's malloc takes for this many bytes.
std::uint64_t BlockOf(std::size_t bytes) {
  constexpr std::size_t kHead = 8;
  constexpr std::size_t kStep = 16;
  constexpr std::size_t kLeast = 32;
  if (bytes == 0) return 0;
  return std::max(kLeast, (bytes + kHead + kStep - 1) / kStep * kStep);
}

std::uint64_t BlockOf(const std::vector<std::int64_t>& numbers) { return BlockOf(numbers.size() * sizeof(numbers[0])); }

/// What slices of a tensor have in common.
struct Kind {
  std::string_view name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> strides = {};
  std::vector<std::int64_t> whole_shape = {};

  [[nodiscard]] bool IsOf(const StepTensor& tensor) const {
    return name == tensor.name && dtype == tensor.dtype && strides == tensor.strides &&
           whole_shape == tensor.whole_shape;
  }
  [[nodiscard]] std::uint64_t Memory() const { return sizeof(Kind) + BlockOf(strides) + BlockOf(whole_shape); }
};

/// Where a tensor or slice lies in its whole.
struct Place {
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> offsets = {};
};

std::uint64_t BytesOfElements(DType dtype, std::span<const std::int64_t> shape) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(ElementCount(shape).value_or(0), ElementBytes(dtype), &bytes)) return 0;
  return bytes;
}

/// Predicts the next tensor from the earlier ones. Writer and reader must add the same tensors. Borrows the tensors.
class Expectation {
 public:
  std::size_t kind = 0;
  std::size_t file = 0;

  std::uint64_t BeginIn(std::size_t of_file) { return of_file < ends_.size() ? ends_[of_file] : 0; }
  // The next slice after the last one of the kind, along the first dimension that is divided.
  [[nodiscard]] Place NextOf(std::size_t of_kind, std::span<const std::int64_t> whole_shape) const {
    if (of_kind >= last_.size() || last_[of_kind] == nullptr) return {};
    Place place{.shape = last_[of_kind]->shape, .offsets = last_[of_kind]->offsets};
    for (std::size_t i = 0; i < place.offsets.size() && i < whole_shape.size(); ++i) {
      if (place.shape[i] == whole_shape[i]) continue;
      if (__builtin_add_overflow(place.offsets[i], place.shape[i], &place.offsets[i])) return {};
      break;
    }
    return place;
  }

  [[nodiscard]] std::uint64_t Memory() const {
    return ends_.capacity() * sizeof(std::uint64_t) + last_.capacity() * sizeof(const StepTensor*);
  }
  void Tell(std::size_t of_kind, const StepTensor& tensor) {
    kind = of_kind + 1;
    file = tensor.file;
    if (tensor.file >= ends_.size()) ends_.resize(tensor.file + 1);
    ends_[tensor.file] = tensor.range.end;
    if (of_kind >= last_.size()) last_.resize(of_kind + 1);
    last_[of_kind] = &tensor;
  }

 private:
  std::vector<std::uint64_t> ends_;      // By file.
  std::vector<const StepTensor*> last_;  // By kind; null if there was none.
};

class Kinds {
 public:
  // Most often it is the expected one.
  std::size_t IndexOf(const StepTensor& tensor, std::size_t expected) {
    if (expected < kinds_.size() && kinds_[expected].IsOf(tensor)) return expected;
    std::vector<std::size_t>& named = by_name_[tensor.name];
    for (const std::size_t kind : named) {
      if (kinds_[kind].IsOf(tensor)) return kind;
    }
    named.push_back(kinds_.size());
    kinds_.push_back({tensor.name, tensor.dtype, tensor.strides, tensor.whole_shape});
    return named.back();
  }
  [[nodiscard]] std::uint64_t Memory() const {
    std::uint64_t memory = 0;
    for (const Kind& kind : kinds_) memory += kind.Memory();
    return memory;
  }
  [[nodiscard]] std::string Format() const {
    MessageWriter writer;
    writer.Number(kinds_.size());
    for (const Kind& kind : kinds_) {
      writer.Text(kind.name);
      writer.Number(static_cast<std::uint64_t>(kind.dtype));
      writer.Sizes(kind.strides);
      writer.Sizes(kind.whole_shape);
    }
    return writer.Take();
  }

 private:
  std::vector<Kind> kinds_;
  std::map<std::string_view, std::vector<std::size_t>> by_name_;
};

// Subtracts their memory from `memory`.
std::optional<std::vector<Kind>> ParseKinds(std::string_view bytes, std::uint64_t tensors, std::uint64_t& memory) {
  constexpr std::size_t kMostDimensions = 64;
  MessageReader reader(bytes);
  std::vector<Kind> kinds;
  std::size_t left = reader.Count();
  if (left > tensors || left > memory / sizeof(Kind)) return std::nullopt;
  kinds.reserve(left);
  for (; left > 0; --left) {
    Kind kind{.name = reader.Text()};
    const std::uint64_t type = reader.Number();
    if (type > static_cast<std::uint64_t>(DType::kFloat8E8m0fnu)) return std::nullopt;
    kind.dtype = static_cast<DType>(type);
    kind.strides = reader.Sizes();
    kind.whole_shape = reader.Sizes();
    if (!reader || std::max(kind.strides.size(), kind.whole_shape.size()) > kMostDimensions) return std::nullopt;
    if (kind.Memory() > memory) return std::nullopt;
    memory -= kind.Memory();
    kinds.push_back(std::move(kind));
  }
  if (!reader.AtEnd()) return std::nullopt;
  return kinds;
}

void PutTensor(MessageWriter& writer, Expectation& expected, std::size_t kind, const StepTensor& tensor) {
  const Place next = expected.NextOf(kind, tensor.whole_shape);
  const bool is_next_box = next.shape == tensor.shape && next.offsets == tensor.offsets;
  const bool is_length = BytesOfElements(tensor.dtype, tensor.shape) == tensor.range.size();
  std::uint64_t said = tensor.crc32c ? kChecksum : 0;
  if (kind == expected.kind) said |= kNextKind;
  if (tensor.file == expected.file) said |= kSameFile;
  if (tensor.range.begin == expected.BeginIn(tensor.file)) said |= kFollows;
  if (is_length) said |= kLength;
  if (is_next_box) said |= kNextBox;
  writer.Number(said);
  if (kind != expected.kind) writer.Number(kind);
  if (tensor.file != expected.file) writer.Number(tensor.file);
  if ((said & kFollows) == 0) writer.Number(tensor.range.begin);
  if (!is_next_box) {
    writer.Sizes(tensor.shape);
    writer.Sizes(tensor.offsets);
  }
  if (!is_length) writer.Number(tensor.range.size());
}

// Appends the next tensor; `tensors` has room for it. Returns false if it is not valid.
bool TakeTensor(MessageReader& reader, Expectation& expected, const std::vector<Kind>& kinds,
                std::vector<StepTensor>& tensors) {
  const std::uint64_t said = reader.Number();
  const std::uint64_t kind = (said & kNextKind) != 0 ? expected.kind : reader.Number();
  const std::uint64_t file = (said & kSameFile) != 0 ? expected.file : reader.Number();
  if (!reader || kind >= kinds.size() || file >= kMostTensors) return false;
  StepTensor tensor{.name = std::string(kinds[kind].name),
                    .file = file,
                    .dtype = kinds[kind].dtype,
                    .strides = kinds[kind].strides,
                    .whole_shape = kinds[kind].whole_shape};
  tensor.range.begin = (said & kFollows) != 0 ? expected.BeginIn(file) : reader.Number();
  if ((said & kNextBox) != 0) {
    Place next = expected.NextOf(kind, tensor.whole_shape);
    tensor.shape = std::move(next.shape);
    tensor.offsets = std::move(next.offsets);
  } else {
    tensor.shape = reader.Sizes();
    tensor.offsets = reader.Sizes();
  }
  const std::uint64_t length = (said & kLength) != 0 ? BytesOfElements(tensor.dtype, tensor.shape) : reader.Number();
  const bool is_range = !__builtin_add_overflow(tensor.range.begin, length, &tensor.range.end);
  if (!reader || !is_range || tensor.offsets.size() > tensor.shape.size()) return false;
  if ((said & kChecksum) != 0) tensor.crc32c = 0;  // Comes from its column.
  tensors.push_back(std::move(tensor));
  expected.Tell(kind, tensors.back());
  return true;
}

}  // namespace

std::uint64_t MemoryOf(const StepTensor& tensor) {
  constexpr std::size_t kInString = 15;  // Shorter names lie in the string itself.
  const std::size_t name = tensor.name.size() > kInString ? tensor.name.size() + 1 : 0;
  return sizeof(StepTensor) + BlockOf(name) + BlockOf(tensor.shape) + BlockOf(tensor.offsets) +
         BlockOf(tensor.whole_shape) + BlockOf(tensor.strides);
}

bool FitsIntoTable(std::span<const StepTensor> tensors) {
  Kinds kinds;
  Expectation expected;
  std::uint64_t memory = 0;
  for (const StepTensor& tensor : tensors) {
    memory += MemoryOf(tensor);
    expected.Tell(kinds.IndexOf(tensor, expected.kind), tensor);
  }
  return tensors.size() <= kMostTensors && memory + kinds.Memory() + expected.Memory() <= kMostTableMemory;
}

std::string FormatTensorTable(std::span<const StepTensor> tensors) {
  Kinds kinds;
  Expectation expected;
  MessageWriter rows;
  std::string checksums;
  for (const StepTensor& tensor : tensors) {
    const std::size_t kind = kinds.IndexOf(tensor, expected.kind);
    PutTensor(rows, expected, kind, tensor);
    expected.Tell(kind, tensor);
    if (tensor.crc32c) AppendLittleEndian(checksums, *tensor.crc32c);
  }
  MessageWriter table;
  table.Text(kinds.Format());
  table.Number(tensors.size());
  table.Text(rows.Take());
  table.Text(checksums);
  return table.Take();
}

std::optional<std::vector<StepTensor>> ParseTensorTable(std::string_view table, std::uint64_t most_memory) {
  MessageReader reader(table);
  const std::string_view kind_bytes = reader.Text();
  const std::uint64_t count = reader.Number();
  const std::string_view row_bytes = reader.Text();
  std::string_view checksums = reader.Text();
  if (!reader.AtEnd() || count > std::min(row_bytes.size(), kMostTensors)) return std::nullopt;
  std::uint64_t left = most_memory;
  const auto kinds = ParseKinds(kind_bytes, count, left);
  if (!kinds || count > left / sizeof(StepTensor)) return std::nullopt;
  MessageReader rows(row_bytes);
  Expectation expected;
  std::vector<StepTensor> tensors;
  tensors.reserve(static_cast<std::size_t>(count));
  std::uint64_t memory = 0;
  while (tensors.size() < count) {
    if (!TakeTensor(rows, expected, *kinds, tensors)) return std::nullopt;
    StepTensor& tensor = tensors.back();
    memory += MemoryOf(tensor);
    if (memory + expected.Memory() > left) return std::nullopt;
    if (!tensor.crc32c) continue;
    if (checksums.size() < kChecksumBytes) return std::nullopt;
    tensor.crc32c = FromLittleEndian<std::uint32_t>(checksums.substr(0, kChecksumBytes));
    checksums.remove_prefix(kChecksumBytes);
  }
  if (!rows.AtEnd() || !checksums.empty()) return std::nullopt;
  return tensors;
}

}  // namespace gcsflux::internal
