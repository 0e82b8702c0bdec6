#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/checkpoint_reader.h"
#include "formats/memory_file.h"
#include "formats/safetensors/json_events.h"
#include "formats/safetensors/safetensors.h"
#include "formats/torch_file_writer.h"

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

/// An index of a sharded checkpoint.
inline std::string IndexOf(const Metadata& weight_map) {
  std::string files;
  for (const auto& [name, file] : weight_map) {
    files += (files.empty() ? "" : ",") + internal::QuotedJson(name) + ":" + internal::QuotedJson(file);
  }
  return R"({"metadata": {"total_size": 12}, "weight_map": {)" + files + "}}";
}

/// The tensor of this name; the test fails if there is none.
inline const SafeTensor& TensorIn(const SafetensorsHeader& header, std::string_view name) {
  const auto found = std::ranges::find(header.tensors, name, &SafeTensor::name);
  EXPECT_NE(found, header.tensors.end()) << name;
  return *found;
}

/// Reads one tensor of a file of safetensors, and compares it with its checksum.
inline Result<std::string> ReadSafeTensor(const ByteSource& source, const SafeTensor& tensor) {
  const auto opened = StoredCheckpoint::Open(source);
  if (!opened) return opened.error();
  const auto found = opened->Find(tensor.name);
  if (!found) return found.error();
  std::string bytes(static_cast<std::size_t>(tensor.range.size()), '\0');
  if (auto read = opened->ReadTensor(*found, std::as_writable_bytes(std::span(bytes))); !read) return read.error();
  return bytes;
}

/// `others` are put beside the tensors.
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
