#include "virtual/virtual_objects.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/mix.h"
#include "store/objects/names.h"
#include "virtual/computed_content.h"
#include "virtual/log_normal.h"

namespace gcsflux::emulator {
namespace {

constexpr double kMaxSigma = 10;

// Each part of the description is hashed with another constant, so the hashes are independent.
enum Purpose : std::uint64_t { kNames = 1, kSizes = 2, kContents = 3 };

std::uint64_t SeedFor(const VirtualBucket& bucket, Purpose purpose) { return Mix(Mix(purpose), bucket.seed); }

std::shared_ptr<const ObjectAttributes> MakeAttributes() {
  ObjectAttributes attributes;
  attributes.content_type = "application/octet-stream";
  attributes.storage_class = "STANDARD";
  return std::make_shared<const ObjectAttributes>(std::move(attributes));
}

// Some microsecond of the year 2020. Another description gives another moment, so another generation. A client that
// remembers a generation therefore never takes other bytes for it.
Time MakeTime(const VirtualBucket& bucket) {
  std::uint64_t hash = Mix(static_cast<std::uint64_t>(bucket.pattern));
  for (const std::uint64_t part :
       {bucket.count, bucket.size_bytes, std::bit_cast<std::uint64_t>(bucket.size_sigma), bucket.seed}) {
    hash = Mix(hash, part);
  }
  constexpr std::chrono::sys_days kFirst = std::chrono::year(2020) / 1 / 1;
  constexpr auto kYear = std::chrono::microseconds(std::chrono::hours(365 * 24));
  return Time(kFirst) + std::chrono::microseconds(hash % static_cast<std::uint64_t>(kYear.count()));
}

[[noreturn]] void Refuse(const VirtualBucket& bucket, const std::string& what) {
  throw std::invalid_argument("virtual bucket '" + bucket.name + "': " + what);
}

void Check(const VirtualBucket& bucket) {
  if (const auto valid = CheckBucketName(bucket.name); !valid) Refuse(bucket, "name: " + valid.error().message);
  if (bucket.count > kMaxVirtualObjects) Refuse(bucket, "count: more than " + std::to_string(kMaxVirtualObjects));
  if (bucket.size_bytes > kMaxVirtualObjectBytes) Refuse(bucket, "size: above 5 TiB");
  if (!(bucket.size_sigma >= 0 && bucket.size_sigma <= kMaxSigma)) Refuse(bucket, "size: sigma is not within 0 to 10");
  const char letter = static_cast<char>(bucket.pattern);
  if (letter < 'a' || letter > 'h') Refuse(bucket, "pattern: not a letter from a to h");
}

}  // namespace

VirtualObjects::VirtualObjects(const VirtualBucket& bucket)
    : bucket_(bucket),
      names_(MakeNameSet(bucket.pattern, bucket.count, SeedFor(bucket, kNames))),
      attributes_(MakeAttributes()),
      time_created_(MakeTime(bucket)) {}

std::uint64_t VirtualObjects::LowerBound(std::string_view name, std::uint64_t from) const {
  return names_->LowerBound(name, from);
}

ObjectPtr VirtualObjects::At(std::uint64_t index) const {
  const std::uint64_t key = Mix(SeedFor(bucket_, kContents), index);
  auto object = std::make_shared<Object>();
  object->name = names_->Name(index);
  object->generation = std::chrono::duration_cast<std::chrono::microseconds>(time_created_.time_since_epoch()).count();
  object->time_created = object->updated = time_created_;
  object->is_immutable = true;
  object->attributes = attributes_;
  object->body = std::make_shared<const Body>(std::make_shared<const ComputedContent>(key, SizeOf(index)));
  return object;
}

ObjectPtr VirtualObjects::Find(std::string_view name) const {
  const std::uint64_t index = names_->LowerBound(name);
  return index != count() && names_->Name(index) == name ? At(index) : nullptr;
}

std::uint64_t VirtualObjects::SizeOf(std::uint64_t index) const {
  if (bucket_.size_sigma == 0) return bucket_.size_bytes;
  const double factor = LogNormal(Mix(SeedFor(bucket_, kSizes), index), bucket_.size_sigma);
  const double size = std::round(static_cast<double>(bucket_.size_bytes) * factor);
  return static_cast<std::uint64_t>(std::clamp(size, 1.0, static_cast<double>(kMaxVirtualObjectBytes)));
}

void CheckVirtualBuckets(std::span<const VirtualBucket> buckets) {
  std::set<std::string_view> names;
  for (const VirtualBucket& bucket : buckets) {
    Check(bucket);
    if (!names.insert(bucket.name).second) Refuse(bucket, "name: it occurs twice");
  }
}

}  // namespace gcsflux::emulator
