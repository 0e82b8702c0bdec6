#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "formats/tar/tar_parser.h"
#include "shards/sample_keys.h"
#include "shards/shard_index.h"

namespace gcsflux::internal {

/// Makes the index of a shard whose bytes pass once. For one thread at a time.
class ShardIndexer : private TarSink {
 public:
  /// `name` is for messages.
  ShardIndexer(const std::string& name, std::int64_t generation, std::uint64_t size)
      : name_(name), keys_(name), parser_({.archive = name, .end = size}, *this) {
    index_.generation = generation;
    index_.size = size;
  }

  Result<void> Feed(std::span<const std::byte> bytes) { return parser_.Feed(bytes); }
  /// Call it once, after the last byte. Returns kUndecodable if the shard has no sample.
  Result<ShardIndex> Finish();
  /// Of all bytes so far.
  [[nodiscard]] std::uint32_t crc32c() const { return here_.crc32c; }

 private:
  Result<void> OnMember(const TarMember& member) override;
  Result<void> OnBytes(std::span<const std::byte> bytes) override {
    Pass(bytes);
    return {};
  }
  Result<void> OnMemberEnd() override;
  void OnOther(std::span<const std::byte> bytes) override;
  void Pass(std::span<const std::byte> bytes);

  struct Passed {
    std::uint64_t position = 0;
    std::uint32_t crc32c = 0;  // Of all bytes before it.
  };
  /// Of the bytes from there to `end`.
  [[nodiscard]] static std::uint32_t Between(const Passed& begin, const Passed& end) {
    return end.crc32c ^ CombineCrc32c(begin.crc32c, 0, end.position - begin.position);
  }
  void EndSample();

  const std::string name_;
  SampleKeys keys_;
  TarParser parser_;
  ShardIndex index_;
  Passed here_ = {};
  std::vector<Passed> since_member_ = {};  // Where headers may begin: behind the last member's bytes.
  Passed data_ = {};                       // The present member's bytes.
  Passed sample_begin_ = {};
  Passed sample_end_ = {};  // Its position is known before its checksum.
  bool has_sample_ = false;
};

}  // namespace gcsflux::internal
