#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/tar/tar_parser.h"
#include "shards/held_sample.h"
#include "shards/sample_keys.h"
#include "transfer/download/block_pool.h"

namespace gcsflux::internal {

/// Makes the samples of one shard whose bytes pass once: each has its members with their headers, as
/// ShardSample::Parse() takes them. For one thread at a time.
class SampleCollector : private TarSink {
 public:
  /// Takes a sample. Its error ends the shard.
  using Deliver = std::function<Result<void>(HeldSample sample)>;
  struct Shard {
    ListedObject listed = {};
    std::string uri = {};         ///< For messages.
    std::size_t first_index = 0;  ///< HeldSample::index of its first sample.
  };
  SampleCollector(Shard shard, BlockPool& blocks, Deliver deliver);

  Result<void> Feed(std::span<const std::byte> bytes) { return parser_.Feed(bytes); }
  /// Call it once, after the last byte.
  Result<void> Finish();

  [[nodiscard]] const std::string& last_key() const { return keys_.key(); }

 private:
  Result<void> OnMember(const TarMember& member) override;
  Result<void> OnBytes(std::span<const std::byte> bytes) override;
  Result<void> OnMemberEnd() override;
  void OnOther(std::span<const std::byte> bytes) override;
  Result<void> EndSample();
  Result<void> Reserve(std::uint64_t bytes);
  void Append(std::span<const std::byte> bytes);

  const Shard shard_;
  BlockPool& blocks_;
  const Deliver deliver_;
  SampleKeys keys_;
  TarParser parser_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> headers_ = {};  // Since the last member.
  std::uint64_t headers_begin_ = 0;
  std::uint64_t padding_ = 0;  // Of the last member, that has not passed.
  bool is_ours_ = false;       // The present member belongs to a sample.
  std::uint64_t samples_ = 0;
  // The present sample.
  HeldSample sample_ = {};
  std::size_t capacity_ = 0;
};

}  // namespace gcsflux::internal
