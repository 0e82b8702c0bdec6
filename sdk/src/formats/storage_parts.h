#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/safetensors/slice_window.h"
#include "gcsflux/formats.h"

// Storages whose parts lie in one or several files: what safetensors and PyTorch's distributed checkpoints have in
// common.
namespace gcsflux::internal {

/// A slice, or all, of a storage.
struct StoragePart {
  std::size_t file = 0;
  FileRange range = {};                     ///< In the file.
  std::optional<std::uint64_t> begin = {};  ///< Offset in the storage; absent if the rows are not contiguous there.
  std::optional<std::uint32_t> sum = {};    ///< Checksum of the range's bytes, if the file has one.
  std::vector<std::int64_t> offsets = {};   ///< Without `begin`: the slice's place in the whole tensor.
  std::vector<std::int64_t> shape = {};     ///< Likewise.
  /// If its elements do not follow each other in the file, or do not fill the range; without `begin`.
  std::vector<std::int64_t> strides = {};
  std::uint64_t first_byte = 0;  ///< With strides: of its first element in the range.
};

/// A part whose elements are a slice of a tensor of the shape `whole`, from `offsets` on.
StoragePart PartOf(std::size_t file, FileRange range, std::span<const std::int64_t> offsets,
                   std::span<const std::int64_t> shape, std::span<const std::int64_t> whole, std::size_t element_bytes);

/// A storage in parts. It holds one tensor, whose elements follow each other. Borrowed.
struct StorageInParts {
  std::span<const StoragePart> parts = {};
  std::span<const std::int64_t> shape = {};
  DType dtype = DType::kUint8;
  std::uint64_t bytes = 0;
  std::size_t index = 0;  ///< Its number, for DamagedPart.
};

/// The files, and what their checksums are.
struct PartFiles {
  std::span<const ByteSource> files = {};
  Checksum kind = Checksum::kCrc32c;
  /// Makes the error of a part whose bytes do not have its checksum.
  std::function<Error(const StoragePart& part, std::size_t storage)> damaged = {};
};

/// The reads of parts for several storages, file by file, and the actions that follow. Borrows all that it is given.
class PartReads {
 public:
  explicit PartReads(const PartFiles& files)
      : files_(files), reads_(files.files.size()), read_parts_(files.files.size()) {}

  /// [wanted.begin, wanted.end) of the storage into `into`.
  void Add(const StorageInParts& storage, FileRange wanted, std::span<std::byte> into);

  /// Parts that are read whole are compared with their checksums.
  Result<void> Run();

  /// The bytes of each part that were read, after Run().
  template <class Visit>
  void ForEachRead(const Visit& visit) const {
    for (const auto& parts : read_parts_) {
      for (const ReadPart& one : parts) visit(*one.part, std::span<const std::byte>(one.bytes));
    }
  }

 private:
  // Bytes of a slice on their way to their places.
  struct Slice {
    const StoragePart* part;
    StorageInParts storage;
    FileRange window;
    std::string bytes;
    FileRange wanted;
    std::span<std::byte> into;
  };
  struct ReadPart {
    const StoragePart* part;
    std::size_t storage;
    std::span<const std::byte> bytes;
  };

  [[nodiscard]] Result<void> ReadFile(std::size_t file) const;
  void AddRead(const StoragePart& part, std::size_t storage, std::uint64_t begin, std::span<std::byte> into);
  void AddBlock(const StoragePart& part, std::size_t storage, FileRange wanted, std::span<std::byte> into);
  void AddSlice(const StoragePart& part, const StorageInParts& storage, FileRange wanted, std::span<std::byte> into);
  static void Place(Slice& slice);

  const PartFiles& files_;
  std::vector<std::vector<RangeRead>> reads_;      // By file.
  std::vector<std::vector<ReadPart>> read_parts_;  // Likewise.
  std::deque<Slice> slices_;                       // Their addresses are stable.
};

/// The bytes of the storage that lie within the part, as a range of the part's elements.
FileRange WindowOfPart(const StoragePart& part, const StorageInParts& storage, FileRange wanted);

/// Gives the storage's bytes in order, in chunks. If a part's bytes do not have its checksum, returns the error after
/// the last chunk. If a part has strides, the storage is held whole.
Result<void> StreamParts(const PartFiles& files, const StorageInParts& storage, const ByteSink& sink);

}  // namespace gcsflux::internal
