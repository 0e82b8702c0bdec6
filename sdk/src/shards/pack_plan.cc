#include "shards/pack_plan.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/tar/tar_header.h"
#include "formats/tar/tar_parser.h"
#include "shards/sample_keys.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kTarEndBytes = 2 * kTarBlock;

Error CannotPack(const std::string& why) { return {ErrorCode::kInvalidArgument, "packing shards: " + why}; }

// "train/" "%06d" ".tar".
struct NumberedName {
  std::string before;
  std::size_t digits = 0;
  std::string behind;

  [[nodiscard]] std::string At(std::size_t number) const {
    const std::string text = std::to_string(number);
    return before + std::string(digits - std::min(digits, text.size()), '0') + text + behind;
  }
};

std::optional<NumberedName> ParsePattern(std::string_view pattern) {
  const std::size_t percent = pattern.find('%');
  if (percent == std::string_view::npos || pattern.find('%', percent + 1) != std::string_view::npos) return {};
  const std::size_t letter = pattern.find('d', percent);
  if (letter == std::string_view::npos) return {};
  NumberedName name{.before = std::string(pattern.substr(0, percent)),
                    .behind = std::string(pattern.substr(letter + 1))};
  const std::string_view width = pattern.substr(percent + 1, letter - percent - 1);
  if (width.empty()) return name;
  const auto [end, failure] = std::from_chars(width.data(), width.data() + width.size(), name.digits);
  if (width.front() != '0' || failure != std::errc{} || end != width.data() + width.size() || name.digits > 20)
    return {};
  return name;
}

struct Sample {
  std::string key = {};
  std::vector<std::size_t> objects = {};
  std::uint64_t bytes = 0;  // With headers and padding.
};

// By key; the members of each by extension.
Result<std::vector<Sample>> SamplesIn(const std::vector<ListedObject>& objects, const std::string& prefix) {
  struct Member {
    SampleName name;
    std::size_t object;
  };
  std::vector<Member> members;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    auto name = SampleNameOf(MemberNameOf(objects[i], prefix));
    if (!name) return CannotPack("object " + Shown(objects[i].name) + ": " + name.error().message);
    if (*name) members.push_back({**std::move(name), i});
  }
  std::ranges::sort(members, [](const Member& a, const Member& b) {
    return std::tie(a.name.key, a.name.extension) < std::tie(b.name.key, b.name.extension);
  });
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    const bool is_same = !samples.empty() && samples.back().key == member.name.key;
    if (is_same && members[i - 1].name.extension == member.name.extension) {
      return CannotPack("objects " + Shown(objects[members[i - 1].object].name) + " and " +
                        Shown(objects[member.object].name) + " would be the same member");
    }
    if (!is_same) samples.push_back({.key = member.name.key});
    samples.back().objects.push_back(member.object);
    const ListedObject& object = objects[member.object];
    samples.back().bytes += HeaderOf(object, prefix).size() + TarPadded(object.size);
  }
  return samples;
}

// SplitMix64 (Steele, Lea, Flood, 2014) and Fisher-Yates.
void Shuffle(std::vector<Sample>& samples, std::uint64_t seed) {
  const auto next = [&seed] {
    std::uint64_t value = seed += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  };
  for (std::size_t left = samples.size(); left > 1; --left) std::swap(samples[left - 1], samples[next() % left]);
}

}  // namespace

std::string MemberNameOf(const ListedObject& object, const std::string& prefix) {
  return object.name.substr(prefix.rfind('/') + 1);
}

std::string HeaderOf(const ListedObject& object, const std::string& prefix) {
  const auto time = std::chrono::floor<std::chrono::seconds>(object.updated.time_since_epoch()).count();
  return WriteTarHeader(MemberNameOf(object, prefix), object.size, time);
}

Result<std::vector<PlannedShard>> PlanShards(const std::vector<ListedObject>& objects, const std::string& prefix,
                                             const std::string& pattern, const ShardOptions& options) {
  const auto names = ParsePattern(pattern);
  if (!names) return CannotPack("'" + pattern + "' has no pattern for the number of a shard, such as %06d");
  if (options.max_samples < 1) return CannotPack("max_samples must be at least 1");
  auto samples = SamplesIn(objects, prefix);
  if (!samples) return samples.error();
  if (options.shuffle_seed) Shuffle(*samples, *options.shuffle_seed);
  std::vector<PlannedShard> shards;
  for (const Sample& sample : *samples) {
    if (shards.empty() || shards.back().samples == options.max_samples ||
        shards.back().bytes + sample.bytes > options.max_bytes) {
      shards.push_back({.name = names->At(shards.size()), .bytes = kTarEndBytes});
    }
    PlannedShard& shard = shards.back();
    shard.objects.insert(shard.objects.end(), sample.objects.begin(), sample.objects.end());
    shard.bytes += sample.bytes;
    ++shard.samples;
  }
  return shards;
}

bool HasMembers(const ShardIndex& index, const PlannedShard& shard, const std::vector<ListedObject>& objects,
                const std::string& prefix) {
  if (index.size != shard.bytes || index.members.size() != shard.objects.size()) return false;
  for (std::size_t i = 0; i < shard.objects.size(); ++i) {
    const ListedObject& object = objects[shard.objects[i]];
    const ShardIndex::Member& member = index.members[i];
    if (member.size != object.size || object.crc32c != member.crc32c || member.name != MemberNameOf(object, prefix))
      return false;
  }
  return true;
}

}  // namespace gcsflux::internal
