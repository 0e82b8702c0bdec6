#include "formats/tensor_sequence.h"

#include <algorithm>

#include "formats/bytes/format_error.h"
#include "formats/bytes/make_buffer.h"
#include "formats/bytes/tensor_layout.h"
#include "formats/checkpoint_reader.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kSmall = 1 << 20;
constexpr std::uint64_t kBatch = 16 << 20;
constexpr std::uint64_t kChunk = 24 << 20;  // Two sequences that are compared take less than 64 MiB.

std::span<std::byte> BufferIn(std::string& bytes) { return std::as_writable_bytes(std::span(bytes)); }

}  // namespace

bool IsWrittenBefore(const StoredTensor& a, const StoredTensor& b) {
  const std::size_t width_a = ElementBytes(a.layout.dtype);
  const std::size_t width_b = ElementBytes(b.layout.dtype);
  return width_a != width_b ? width_a > width_b : a.name < b.name;
}

// The bytes of a storage that are read for it. A view of a large storage counts with the bytes between its elements.
std::uint64_t TensorSequence::HeldBytes(const StoredTensor& tensor) const {
  const auto touched = TouchedBytes(tensor.layout, checkpoint_.reader().storages()[tensor.layout.storage].bytes);
  return std::max(touched ? touched->size() : 0, TensorBytes(tensor.layout));
}

Result<void> TensorSequence::Give(std::size_t index, const ByteSink& sink) {
  const StoredTensor& tensor = tensors_[index];
  const std::size_t storage = tensor.layout.storage;
  const bool fills_storage =
      IsContiguous(tensor.layout) && TensorBytes(tensor.layout) == checkpoint_.reader().storages()[storage].bytes;
  if (fills_storage && HeldBytes(tensor) > kSmall) return checkpoint_.reader().StreamStorage(storage, sink);
  for (std::uint64_t at = 0;;) {
    const auto chunk = Read(index, at);
    if (!chunk) return chunk.error();
    if (chunk->empty()) return {};
    if (auto given = sink(*chunk); !given) return given;
    at += chunk->size();
  }
}

Result<std::span<const std::byte>> TensorSequence::Read(std::size_t index, std::uint64_t at) {
  const std::uint64_t bytes = TensorBytes(tensors_[index].layout);
  if (at >= bytes) return std::span<const std::byte>();
  const auto is_held = [&] {
    return index >= first_ && index - first_ < held_.size() && at >= begin_ &&
           at - begin_ < held_[index - first_].size();
  };
  if (!is_held()) {
    auto read = HeldBytes(tensors_[index]) > kSmall ? ReadChunk(index, at) : ReadSmall(index);
    if (!read) return held_.clear(), read.error();
  }
  return std::as_bytes(std::span(held_[index - first_])).subspan(static_cast<std::size_t>(at - begin_));
}

// This tensor and small ones behind it.
Result<void> TensorSequence::ReadSmall(std::size_t first) {
  held_.clear();
  first_ = first;
  begin_ = 0;
  std::uint64_t held = 0;
  for (std::size_t i = first; i < tensors_.size(); ++i) {
    const std::uint64_t bytes = HeldBytes(tensors_[i]);
    held += bytes + sizeof(std::string) + sizeof(TensorRead);
    if (bytes > kSmall || (held > kBatch && i > first)) break;
    held_.emplace_back(static_cast<std::size_t>(TensorBytes(tensors_[i].layout)), '\0');
  }
  std::vector<TensorRead> reads;
  for (std::size_t i = 0; i < held_.size(); ++i) reads.push_back({&tensors_[first + i], BufferIn(held_[i])});
  return checkpoint_.ReadTensors(reads);
}

Result<void> TensorSequence::ReadChunk(std::size_t index, std::uint64_t at) {
  StoredTensor chunk = tensors_[index];
  const bool is_whole = !IsContiguous(chunk.layout);
  first_ = index;
  begin_ = is_whole ? 0 : at;
  const std::uint64_t size = TensorBytes(chunk.layout) - begin_;
  held_.resize(1);
  if (is_whole) {
    held_.clear();  // Before the memory for the next one is taken.
    auto buffer = MakeBuffer(size, Shown(chunk.name));
    if (!buffer) return buffer.error();
    held_.push_back(*std::move(buffer));
  } else {
    held_.front().resize(static_cast<std::size_t>(std::min(size, kChunk)));
    const std::uint64_t element = ElementBytes(chunk.layout.dtype);
    chunk.layout.offset += at / element;
    chunk.layout.shape = {static_cast<std::int64_t>(held_.front().size() / element)};  // As one dimension.
    chunk.layout.strides = {1};
  }
  return checkpoint_.ReadTensor(chunk, BufferIn(held_.front()));
}

}  // namespace gcsflux::internal
