#include "formats/tensor_sequence.h"

#include <algorithm>

#include "formats/bytes/format_error.h"
#include "formats/bytes/make_buffer.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kSmall = 1 << 20;
constexpr std::uint64_t kBatch = 16 << 20;
constexpr std::uint64_t kPiece = 32 << 20;

std::span<std::byte> BufferIn(std::string& bytes) { return std::as_writable_bytes(std::span(bytes)); }

// The bytes of a storage that are read for it. A view of a large storage counts with the bytes between its elements.
std::uint64_t HeldBytes(const StoredCheckpoint& checkpoint, const StoredTensor& tensor) {
  const auto touched = TouchedBytes(tensor.layout, checkpoint.storages()[tensor.layout.storage].bytes);
  return std::max(touched ? touched->size() : 0, TensorBytes(tensor.layout));
}

}  // namespace

bool IsWrittenBefore(const StoredTensor& a, const StoredTensor& b) {
  const std::size_t width_a = ElementBytes(a.layout.dtype);
  const std::size_t width_b = ElementBytes(b.layout.dtype);
  return width_a != width_b ? width_a > width_b : a.name < b.name;
}

Result<void> TensorSequence::Give(std::size_t index, const ByteSink& sink) {
  if (HeldBytes(checkpoint_, tensors_[index]) > kSmall) return GiveLarge(tensors_[index], sink);
  if (index < batch_begin_ || index >= batch_begin_ + batch_.size()) {
    if (auto read = ReadBatch(index); !read) return read;
  }
  const std::string& bytes = batch_[index - batch_begin_];
  return bytes.empty() ? Result<void>() : sink(std::as_bytes(std::span(bytes)));
}

Result<void> TensorSequence::ReadBatch(std::size_t first) {
  batch_.clear();
  batch_begin_ = first;
  std::uint64_t held = 0;
  for (std::size_t i = first; i < tensors_.size(); ++i) {
    const std::uint64_t bytes = HeldBytes(checkpoint_, tensors_[i]);
    held += bytes + sizeof(std::string) + sizeof(TensorRead);
    if (bytes > kSmall || (held > kBatch && i > first)) break;
    batch_.emplace_back(static_cast<std::size_t>(TensorBytes(tensors_[i].layout)), '\0');
  }
  std::vector<TensorRead> reads;
  for (std::size_t i = 0; i < batch_.size(); ++i) reads.push_back({&tensors_[first + i], BufferIn(batch_[i])});
  auto read = checkpoint_.ReadTensors(reads);
  if (!read) batch_.clear();
  return read;
}

Result<void> TensorSequence::GiveLarge(const StoredTensor& tensor, const ByteSink& sink) const {
  const TensorLayout& layout = tensor.layout;
  const std::uint64_t bytes = TensorBytes(layout);
  if (layout.strides != ContiguousStrides(layout.shape)) {
    auto held = MakeBuffer(bytes, Shown(tensor.name));
    if (!held) return held.error();
    if (auto read = checkpoint_.ReadTensor(tensor, BufferIn(*held)); !read) return read;
    return sink(BufferIn(*held));
  }
  if (bytes == checkpoint_.storages()[layout.storage].bytes) return checkpoint_.StreamStorage(layout.storage, sink);
  const std::uint64_t element = ElementBytes(layout.dtype);
  std::string piece;
  for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min(bytes - at, kPiece)));
    StoredTensor part = tensor;  // As one dimension.
    part.layout.offset += at / element;
    part.layout.shape = {static_cast<std::int64_t>(piece.size() / element)};
    part.layout.strides = {1};
    if (auto read = checkpoint_.ReadTensor(part, BufferIn(piece)); !read) return read;
    if (auto given = sink(BufferIn(piece)); !given) return given;
  }
  return {};
}

}  // namespace gcsflux::internal
