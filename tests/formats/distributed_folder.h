#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/checkpoint_reader.h"
#include "formats/distributed/distributed_metadata.h"
#include "formats/memory_file.h"

namespace gcsflux::formats_tests {

inline std::string FileText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder of PyTorch's distributed checkpoints in memory. It must outlive what it opens.
struct DistributedFolder {
  std::map<std::string, std::string> files = {};
  std::uint64_t rounds = 0;  ///< Reads that depend on each other, of all files but .metadata.

  /// One of fixtures/distributed.
  static DistributedFolder Fixture(const std::string& name) {
    DistributedFolder folder;
    const auto path = std::filesystem::path(GCSFLUX_FORMAT_FIXTURES) / "distributed" / name;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      folder.files[entry.path().filename()] = FileText(entry.path());
    }
    return folder;
  }

  [[nodiscard]] internal::DistributedMetadata Metadata() const {
    auto metadata = internal::ParseDistributedMetadata(files.at(internal::kDistributedMetadata), "test.pt");
    EXPECT_TRUE(metadata.ok()) << metadata.error().message;
    return metadata ? *std::move(metadata) : internal::DistributedMetadata();
  }
  void SetMetadata(const internal::DistributedMetadata& metadata) {
    auto pickle = internal::FormatDistributedMetadata(metadata);
    ASSERT_TRUE(pickle.ok()) << pickle.error().message;
    files[internal::kDistributedMetadata] = *std::move(pickle);
  }

  Result<StoredCheckpoint> Open() {
    const internal::OpenShards open_shards = [this](std::span<const std::string> names,
                                                    bool) -> Result<std::vector<ByteSource>> {
      std::vector<ByteSource> sources;
      for (const std::string& name : names) {
        const auto found = files.find(name);
        if (found == files.end()) return Error{ErrorCode::kNotFound, "test.pt: there is no file " + name};
        sources.push_back(Counted(SourceOf("test.pt/" + name, BytesOf(found->second))));
      }
      return sources;
    };
    return internal::OpenFileOrIndex(SourceOver(files.at(internal::kDistributedMetadata)), open_shards);
  }

 private:
  ByteSource Counted(ByteSource source) {
    source.read_at = [this, read = source.read_at](std::uint64_t offset, std::span<std::byte> into) {
      ++rounds;
      return read(offset, into);
    };
    source.read_all = [this, read = source.read_at](std::span<const RangeRead> reads,
                                                    std::optional<Checksum>) -> Result<ReadSums> {
      const std::uint64_t before = rounds;
      for (const RangeRead& one : reads) {
        if (auto done = read(one.offset, one.into); !done) return done.error();
      }
      rounds = before + 1;
      return ReadSums();
    };
    return source;
  }
};

/// The tensor of this name, which must be there.
inline internal::DistributedTensor& TensorNamed(internal::DistributedMetadata& metadata, std::string_view name) {
  return *std::ranges::find(metadata.tensors, name, &internal::DistributedTensor::name);
}

}  // namespace gcsflux::formats_tests
