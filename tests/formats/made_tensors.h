#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/memory_file.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/safetensors.h"

namespace gcsflux::formats_tests {

/// A tensor and its elements' bytes, last dimension first.
struct MadeTensor {
  std::string name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};
  std::string bytes = {};
};

inline std::string Varied(std::size_t size, unsigned seed = 1) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<char>((i + std::size_t{7919} * seed) * 2'654'435'761U >> 24);
  return bytes;
}

/// One of every important kind: of several dimensions, a scalar, without elements, of other widths.
inline std::vector<MadeTensor> SomeTensors() {
  return {{"net.weight", DType::kFloat32, {6, 4}, Varied(96, 1)},
          {"net.bias", DType::kFloat32, {4}, Varied(16, 2)},
          {"steps", DType::kInt64, {}, Varied(8, 3)},
          {"nothing", DType::kFloat16, {0, 3}, ""},
          {"mask", DType::kBool, {3}, std::string("\1\0\1", 3)}};
}

using Metadata = std::vector<std::pair<std::string, std::string>>;

inline std::string SafetensorsOf(const std::vector<MadeTensor>& tensors, bool has_checksums = true,
                                 Metadata metadata = {{"format", "pt"}}) {
  SafetensorsContents contents{.metadata = std::move(metadata), .has_checksums = has_checksums};
  for (const MadeTensor& tensor : tensors) contents.tensors.push_back({tensor.name, tensor.dtype, tensor.shape});
  std::string file;
  const auto write = [&](std::size_t i, const ByteSink& sink) { return sink(BytesOf(tensors[i].bytes)); };
  const auto written = WriteSafetensors(contents, write, SinkInto(file));
  EXPECT_TRUE(written.ok()) << written.error().message;
  return file;
}

/// `others` are added beside the tensors.
inline std::string TorchFileOf(const std::vector<MadeTensor>& tensors, const pickled::Entries& others = {}) {
  pickled::Dict dict{.kind = pickled::DictKind::kOrderedDict, .entries = others};
  TorchFileContents contents;
  for (const MadeTensor& tensor : tensors) {
    TensorLayout layout{.dtype = tensor.dtype, .storage = contents.storage_bytes.size(), .shape = tensor.shape};
    layout.strides = ContiguousStrides(layout.shape);
    contents.storage_bytes.push_back(tensor.bytes.size());
    dict.entries.push_back({{.any = tensor.name}, {.any = std::move(layout)}});
  }
  contents.root = {.any = std::move(dict)};
  std::string file;
  const auto write = [&](std::size_t i, const ByteSink& sink) { return sink(BytesOf(tensors[i].bytes)); };
  const auto written = WriteTorchFile(contents, write, SinkInto(file));
  EXPECT_TRUE(written.ok()) << written.error().message;
  return file;
}

/// The text must outlive the checkpoint.
inline Result<StoredCheckpoint> OpenedAny(const std::string& file) { return StoredCheckpoint::Open(SourceOver(file)); }

/// Its elements; empty, and the test fails, if it cannot be read.
inline std::string Elements(const StoredCheckpoint& checkpoint, const StoredTensor& tensor) {
  std::string bytes(static_cast<std::size_t>(TensorBytes(tensor.layout)), '\0');
  const auto read = checkpoint.ReadTensor(tensor, std::as_writable_bytes(std::span(bytes)));
  EXPECT_TRUE(read.ok()) << read.error().message;
  return bytes;
}

/// The checkpoint has these tensors and no others.
inline void ExpectHolds(const StoredCheckpoint& checkpoint, const std::vector<MadeTensor>& tensors) {
  EXPECT_EQ(checkpoint.tensors().size(), tensors.size());
  for (const MadeTensor& want : tensors) {
    const auto tensor = checkpoint.Find(want.name);
    ASSERT_TRUE(tensor.ok()) << tensor.error().message;
    EXPECT_EQ(tensor->layout.dtype, want.dtype) << want.name;
    EXPECT_EQ(tensor->layout.shape, want.shape) << want.name;
    EXPECT_TRUE(Elements(checkpoint, *tensor) == want.bytes) << want.name;
  }
}

}  // namespace gcsflux::formats_tests
