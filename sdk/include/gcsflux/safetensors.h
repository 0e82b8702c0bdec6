#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/formats.h"

// Files of safetensors: a header of JSON, then the tensors' bytes.
namespace gcsflux {

/// A tensor of such a file. Its elements follow each other, last dimension first.
struct SafeTensor {
  std::string name = {};
  std::string type = {};            ///< As the file says it: "F32".
  std::optional<DType> dtype = {};  ///< Absent: a type that is not read, such as "F4".
  std::vector<std::int64_t> shape = {};
  FileRange range = {};                          ///< In the file.
  std::optional<std::uint32_t> crc32c = {};      ///< Of its bytes, where the file tells it.
  std::vector<std::int64_t> saved_offsets = {};  ///< Of a slice (PyTorch DCP): where it begins in the whole tensor.
};

/// What a file's header says.
struct SafetensorsHeader {
  std::string file = {};  ///< The source's name.
  std::vector<SafeTensor> tensors = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};  ///< Without the checksums.

  /// Null where there is none.
  [[nodiscard]] const SafeTensor* Find(std::string_view name) const;
  /// All its tensors have a CRC32C.
  [[nodiscard]] bool IsVerifiable() const;
};

/// Reads the header in one read, or two where it has more than 256 KiB; at most 100 MB. The tensors fill the file
/// without a hole or an overlap, each as long as its shape and type say. kUndecodable where that is not so, or where a
/// name or a field is there twice; kCorrupted where the checksums are those of other names.
Result<SafetensorsHeader> ReadSafetensorsHeader(const ByteSource& source);

/// Fills `into`, which has the tensor's length. kCorrupted where the bytes do not have the tensor's CRC32C; one that
/// has none is not verified.
Result<void> ReadSafeTensor(const ByteSource& source, const SafeTensor& tensor, std::span<std::byte> into);

/// A tensor that is to be written.
struct NamedTensor {
  std::string name = {};
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape = {};
};

/// What is to become a file.
struct SafetensorsContents {
  std::vector<NamedTensor> tensors = {};
  std::vector<std::pair<std::string, std::string>> metadata = {{"format", "pt"}};  ///< Some readers ask for "format".
  /// Each tensor's CRC32C goes into the metadata, which other readers pass over. The header comes first, so that each
  /// tensor's bytes are asked for twice.
  bool has_checksums = true;
};

/// Gives the bytes of a tensor, in order, in pieces of any length, the same each time.
using TensorWriter = std::function<Result<void>(std::size_t tensor, const ByteSink& sink)>;

/// Writes the file in one go, tensors of the widest types first, so that all are aligned.
///
/// kInvalidArgument where a name is there twice, is not UTF-8 or "__metadata__", where safetensors lacks a type, a
/// writer gives another length than the tensor's, or the header would have more than 100 MB.
Result<void> WriteSafetensors(const SafetensorsContents& contents, const TensorWriter& write_tensor,
                              const ByteSink& sink);

/// The length that the file will have.
Result<std::uint64_t> SafetensorsBytes(const SafetensorsContents& contents);

/// model.safetensors.index.json: which file of a sharded checkpoint holds a tensor.
struct SafetensorsIndex {
  std::vector<std::pair<std::string, std::string>> weight_map = {};  ///< Tensors' names and files, by name.
  std::optional<std::uint64_t> total_size = {};                      ///< Of all tensors, in bytes.

  /// The files, each once, by name.
  [[nodiscard]] std::vector<std::string> Files() const;
};

/// kUndecodable where a name is there twice, or a file lies outside of the index's own folder: an absolute path, "..".
Result<SafetensorsIndex> ReadSafetensorsIndex(const ByteSource& source);
/// As JSON. kInvalidArgument where ReadSafetensorsIndex() would refuse it.
Result<std::string> FormatSafetensorsIndex(const SafetensorsIndex& index);

/// A slice of a tensor: which file and tensor, and where it begins in the whole.
struct TensorSlice {
  std::size_t file = 0;    ///< Index among the headers.
  std::size_t tensor = 0;  ///< Index among that header's tensors.
  std::vector<std::int64_t> offsets = {};
};

/// A tensor that several files hold together; one slice where a file holds all of it.
struct JoinedTensor {
  std::string name = {};
  std::string type = {};
  std::optional<DType> dtype = {};
  std::vector<std::int64_t> shape = {};  ///< Of the whole.
  std::vector<TensorSlice> slices = {};
};

/// The tensors of all these files by name, the slices that PyTorch DCP saved joined. They must make a grid without a
/// hole: kUndecodable otherwise, and where two files hold a tensor that is no slice.
Result<std::vector<JoinedTensor>> JoinSlices(std::span<const SafetensorsHeader> headers);

}  // namespace gcsflux
