// Shards: the same members in any portions, none outside of the archive; an index says what is there.

#include <cstdint>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "format_input.h"
#include "formats/tar/tar_parser.h"
#include "shards/shard_index.h"
#include "shards/shard_indexer.h"

namespace gcsflux::fuzz {
namespace {

using internal::ShardIndex;

struct Found : internal::TarSink {
  Result<void> OnMember(const internal::TarMember& member) override {
    members += member.name + " " + std::to_string(member.begin) + " " + std::to_string(member.data) + "\n";
    Require(member.begin < member.data && member.data % internal::kTarBlock == 0, "headers are before the bytes");
    left = member.size;
    return {};
  }
  Result<void> OnBytes(std::span<const std::byte> bytes) override {
    Require(bytes.size() <= left, "a member has its size");
    left -= bytes.size();
    passed += bytes.size();
    return {};
  }
  Result<void> OnMemberEnd() override {
    Require(left == 0, "a member ends behind its bytes");
    return {};
  }
  void OnOther(std::span<const std::byte> bytes) override { passed += bytes.size(); }

  std::string members;
  std::uint64_t left = 0;
  std::uint64_t passed = 0;
};

std::string Parse(std::string_view bytes, std::size_t portion) {
  Found found;
  internal::TarParser parser({.archive = "input", .end = bytes.size()}, found);
  for (std::size_t at = 0; at < bytes.size(); at += portion) {
    if (auto fed = parser.Feed(std::as_bytes(std::span(bytes.substr(at, portion)))); !fed) {
      RequireRefusal(fed.error());
      return found.members + "refused";
    }
  }
  Require(found.passed == bytes.size(), "each byte is passed on once");
  const auto finished = parser.Finish();
  if (!finished) RequireRefusal(finished.error());
  return found.members + (finished ? "whole" : "refused");
}

void CheckIndex(std::string_view bytes) {
  internal::ShardIndexer indexer("input", 1, bytes.size());
  if (!indexer.Feed(std::as_bytes(std::span(bytes)))) return;
  const auto index = indexer.Finish();
  if (!index) return RequireRefusal(index.error());
  for (const ShardIndex::Sample& sample : index->samples) {
    const std::string_view range = bytes.substr(index->BeginOf(sample), index->SizeOf(sample));
    Require(range.size() == index->SizeOf(sample), "a sample lies in its shard");
    Require(sample.crc32c == internal::ExtendCrc32c(0, std::as_bytes(std::span(range))), "its checksum is right");
  }
  const std::string stored = internal::EncodeShardIndex(*index);
  const auto again = internal::DecodeShardIndex("input", std::as_bytes(std::span(stored)));
  Require(again.ok() && internal::EncodeShardIndex(*again) == stored, "an index is read as it was written");
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = gcsflux::emulator::AsText(data, size);
  const std::string whole = gcsflux::fuzz::Parse(bytes, size + 1);
  gcsflux::emulator::Require(gcsflux::fuzz::Parse(bytes, 1 + size % 700) == whole, "portions make no difference");
  gcsflux::fuzz::CheckIndex(bytes);
  return 0;
}
