#include "shards/shard_index.h"

#include <algorithm>
#include <utility>

#include "formats/bytes/packed_bytes.h"
#include "formats/tar/tar_parser.h"
#include "shards/sample_keys.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kMagic = "gcsflux shard index\n";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kLeastMemberBytes = 9;
constexpr std::size_t kLeastSampleBytes = 6;
constexpr std::size_t kMostNamesPerByte = 64;  // So that few bytes do not take much memory.

std::size_t SharedBytes(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// `position` is where the next member may begin.
ShardIndex::Member ReadMember(PackedReader& reader, std::string_view before, std::uint64_t size,
                              std::uint64_t& position) {
  ShardIndex::Member member;
  const std::uint64_t shared = reader.Number();
  const std::string_view rest = reader.Text();
  if (shared > before.size()) reader.Fail();
  if (reader.has_failed()) return member;
  member.name = std::string(before.substr(0, static_cast<std::size_t>(shared))).append(rest);
  const std::uint64_t gap = reader.Number();
  const std::uint64_t blocks = reader.Number();
  member.size = reader.Number();
  member.crc32c = reader.Fixed32();
  // Each number is compared before it is added, so that no sum overflows.
  const std::uint64_t left = size - position;
  if (blocks == 0 || gap > left || blocks > (left - gap) / kTarBlock) reader.Fail();
  const std::uint64_t in_headers = gap + blocks * kTarBlock;
  if (reader.has_failed() || member.size > left - in_headers || TarPadded(member.size) > left - in_headers) {
    reader.Fail();
    return member;
  }
  member.begin = position + gap;
  member.data = position + in_headers;
  position = member.end();
  return member;
}

void ReadMembers(PackedReader& reader, std::size_t most_names, ShardIndex& index) {
  const std::uint64_t count = reader.Number();
  if (count > reader.left() / kLeastMemberBytes) reader.Fail();
  if (!reader.has_failed()) index.members.reserve(static_cast<std::size_t>(count));
  std::uint64_t position = 0;
  std::size_t names = 0;
  for (std::uint64_t i = 0; i < count && !reader.has_failed(); ++i) {
    const std::string before = index.members.empty() ? "" : index.members.back().name;
    index.members.push_back(ReadMember(reader, before, index.size, position));
    names += index.members.back().name.size();
    if (names > most_names) reader.Fail();
  }
}

// A sample's key, if its members have names of one sample.
bool HasOneKey(const ShardIndex& index, const ShardIndex::Sample& sample) {
  std::string key;
  for (std::size_t i = sample.first; i < sample.first + sample.count; ++i) {
    const auto name = SampleNameOf(index.members[i].name);
    if (!name || (i == sample.first && !*name)) return false;
    if (*name && (*name)->key != key && !std::exchange(key, (*name)->key).empty()) return false;
  }
  return true;
}

void ReadSamples(PackedReader& reader, ShardIndex& index) {
  const std::uint64_t count = reader.Number();
  if (count > reader.left() / kLeastSampleBytes) reader.Fail();
  if (!reader.has_failed()) index.samples.reserve(static_cast<std::size_t>(count));
  std::size_t next = 0;
  for (std::uint64_t i = 0; i < count && !reader.has_failed(); ++i) {
    const std::uint64_t gap = reader.Number();
    const std::uint64_t members = reader.Number();
    const std::size_t left = index.members.size() - next;
    if (members == 0 || gap > left || members > left - gap) return reader.Fail();
    const ShardIndex::Sample sample{.first = next + static_cast<std::size_t>(gap),
                                    .count = static_cast<std::size_t>(members),
                                    .crc32c = reader.Fixed32()};
    if (!HasOneKey(index, sample)) return reader.Fail();
    next = sample.first + sample.count;
    index.samples.push_back(sample);
  }
}

}  // namespace

std::uint64_t ShardIndex::Member::end() const { return data + TarPadded(size); }

std::string ShardIndex::KeyOf(const Sample& sample) const {
  auto name = SampleNameOf(members[sample.first].name);
  return name && *name ? std::move((*name)->key) : std::string();
}

std::string EncodeShardIndex(const ShardIndex& index) {
  constexpr std::size_t kUsualMemberBytes = 24;
  PackedWriter writer;
  writer.Reserve(index.members.size() * kUsualMemberBytes + 64);
  writer.Raw(kMagic);
  writer.Number(kVersion);
  writer.Signed(index.generation);
  writer.Number(index.size);
  writer.Number(index.members.size());
  std::string_view before;
  std::uint64_t position = 0;
  for (const ShardIndex::Member& member : index.members) {
    const std::size_t shared = SharedBytes(before, member.name);
    writer.Number(shared);
    writer.Text(std::string_view(member.name).substr(shared));
    writer.Number(member.begin - position);
    writer.Number((member.data - member.begin) / kTarBlock);
    writer.Number(member.size);
    writer.Fixed32(member.crc32c);
    before = member.name;
    position = member.end();
  }
  writer.Number(index.samples.size());
  std::size_t next = 0;
  for (const ShardIndex::Sample& sample : index.samples) {
    writer.Number(sample.first - next);
    writer.Number(sample.count);
    writer.Fixed32(sample.crc32c);
    next = sample.first + sample.count;
  }
  return std::move(writer).TakeSealed();
}

Result<ShardIndex> DecodeShardIndex(const std::string& name, std::span<const std::byte> bytes) {
  const auto damaged = [&](const char* how) {
    return Error{ErrorCode::kCorrupted, name + ": the index of a shard cannot be used: " + how + "; make it again"};
  };
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (!text.starts_with(kMagic)) return damaged("it is none, or its beginning is damaged");
  if (text.size() < kMagic.size() + kSealBytes) return damaged("it was cut off");
  const std::string_view sealed = text.substr(0, text.size() - kSealBytes);
  PackedReader reader(sealed.substr(kMagic.size()));
  const std::uint64_t version = reader.Number();
  if (version > kVersion && version < 1'000) {  // A newer version may have another seal.
    return Error{ErrorCode::kInvalidArgument, name + ": the index is of version " + std::to_string(version) +
                                                  ", and this version of gcsflux reads version 1"};
  }
  if (PackedReader(text.substr(sealed.size())).Fixed32() != Seal(sealed)) return damaged("it was cut off or changed");
  ShardIndex index;
  index.generation = reader.Signed();
  index.size = reader.Number();
  ReadMembers(reader, kMostNamesPerByte * bytes.size(), index);
  ReadSamples(reader, index);
  if (version != kVersion || reader.has_failed() || reader.left() > 0) return damaged("what it says makes no sense");
  return index;
}

}  // namespace gcsflux::internal
