#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/bytes/tensor_layout.h"

// Files of safetensors: a JSON header, then the tensors' bytes.
namespace gcsflux {

/// A tensor of such a file. Its elements follow each other, the last dimension fastest.
struct SafeTensor {
  std::string name = {};
  std::string type = {};            ///< The type as the file names it: "F32".
  std::optional<DType> dtype = {};  ///< Absent if gcsflux does not read the type, such as "F4".
  std::vector<std::int64_t> shape = {};
  FileRange range = {};                      ///< In the file.
  std::optional<std::uint32_t> crc32c = {};  ///< Checksum of its bytes, if the file has one.
  /// For a slice (PyTorch DCP): its offsets in the whole tensor.
  std::vector<std::int64_t> saved_offsets = {};
};

/// The content of a file's header.
struct SafetensorsHeader {
  std::string file = {};  ///< The source's name.
  std::vector<SafeTensor> tensors = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};  ///< Without the checksums.
};

/// Reads the header, of at most 100 MB, in one read; if it is longer than 256 KiB, in two. The tensors must fill the
/// file without a hole or an overlap, each with the length of its shape and type. If they do not, or a name or a field
/// occurs twice, returns kUndecodable. If the checksums are those of other names, returns kCorrupted.
Result<SafetensorsHeader> ReadSafetensorsHeader(const ByteSource& source);

/// A tensor to write.
struct NamedTensor {
  std::string name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};
};

/// The content of a file to write.
struct SafetensorsContents {
  std::vector<NamedTensor> tensors = {};
  std::vector<std::pair<std::string, std::string>> metadata = {{"format", "pt"}};  ///< Some readers require "format".
  /// Writes each tensor's CRC32C into the metadata, which other readers ignore. Because the header comes first, each
  /// tensor's bytes are requested twice.
  bool has_checksums = true;
};

/// Gives the bytes of a tensor in order, in chunks of any length. It gives the same bytes each time.
using TensorWriter = std::function<Result<void>(std::size_t tensor, const ByteSink& sink)>;

/// Where a tensor was written, and the CRC32C of its bytes if there are checksums.
struct PlacedTensor {
  FileRange range = {};
  std::optional<std::uint32_t> crc32c = {};
};

/// Writes the file in one pass, and returns the places of the tensors. Tensors of the widest types come first in the
/// file, so that all are aligned.
///
/// Returns kInvalidArgument if a name occurs twice, is not UTF-8 or is "__metadata__"; if safetensors lacks a type; if
/// a writer gives another length than the tensor's; or if the header exceeds 100 MB. Returns kCorrupted if
/// `has_checksums` is set and a writer gives other bytes the second time.
Result<std::vector<PlacedTensor>> WriteSafetensors(const SafetensorsContents& contents,
                                                   const TensorWriter& write_tensor, const ByteSink& sink);

/// model.safetensors.index.json: tells which file of a sharded checkpoint holds a tensor.
struct SafetensorsIndex {
  /// Names of tensors and of their files, by tensor name.
  std::vector<std::pair<std::string, std::string>> weight_map = {};

  /// The files, each once, in order of name.
  [[nodiscard]] std::vector<std::string> Files() const;
};

/// Returns kUndecodable if a name occurs twice, or a file is outside of the index's folder: an absolute path, "..".
Result<SafetensorsIndex> ReadSafetensorsIndex(const ByteSource& source);

/// A slice of a tensor: its file, its tensor there, and its offsets in the whole.
struct TensorSlice {
  std::size_t file = 0;    ///< Index among the headers.
  std::size_t tensor = 0;  ///< Index among that header's tensors.
  std::vector<std::int64_t> offsets = {};
};

/// A tensor that several files hold together. If one file holds all of it, there is one slice.
struct JoinedTensor {
  std::string name = {};
  std::string type = {};
  std::optional<DType> dtype = {};
  std::vector<std::int64_t> shape = {};  ///< Of the whole.
  std::vector<TensorSlice> slices = {};
};

/// The tensors of all these files by name. Slices that PyTorch DCP saved are joined; they must hold each element once.
/// Otherwise, or if two files hold a tensor that is not a slice, returns kUndecodable.
Result<std::vector<JoinedTensor>> JoinSlices(std::span<const SafetensorsHeader> headers);

}  // namespace gcsflux
