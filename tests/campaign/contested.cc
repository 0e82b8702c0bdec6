#include "campaign/contested.h"

#include <cstring>

#include "campaign/operations.h"
#include "campaign/worker.h"
#include "gcsflux/upload.h"

namespace gcsflux::campaign {
namespace {

constexpr int kNames = 3;

// In an upload; in metadata that was read back, and that falseLength truncated; by a rival's write after a lost answer.
const MayFail kMayFail{.with = {ErrorCode::kCorrupted, ErrorCode::kBadResponse, ErrorCode::kOutcomeUnknown}};
// Nothing corrupts their reads, so a wrong checksum means a mixture.
const MayFail kMayChangeMeanwhile{.with = {ErrorCode::kAborted}};

void OverwriteContested(Worker& worker) {
  const ObjectName object = worker.chance().OneOf(ContestedNames(worker.common().bucket));
  const std::string bytes = MakeContested(worker.chance().Number(), 10'000 + worker.chance().Below(400'000));
  const RandomStop stop(worker.chance());
  const UploadOptions options{.chunk_bytes = 256 << 10, .stop = stop.token()};
  worker.Check(UploadObject(worker.client(), object, AsBytes(bytes), options), stop, kMayFail);
}

// As a stream, which is not read a second time if its checksum is wrong.
void ReadContested(Worker& worker) {
  const ObjectName object = worker.chance().OneOf(ContestedNames(worker.common().bucket));
  const RandomStop stop(worker.chance());
  std::string bytes;
  const ByteSink append = [&](std::span<const std::byte> data) -> Result<void> {
    bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
    return {};
  };
  const auto read = worker.client().ReadObject(object, append, {.stop = stop.token()});
  if (worker.Check(read, stop, kMayChangeMeanwhile)) CheckContested(object, bytes);
}

}  // namespace

std::vector<ObjectName> ContestedNames(const std::string& bucket) {
  std::vector<ObjectName> names;
  names.reserve(kNames);
  for (int i = 0; i < kNames; ++i) names.push_back({bucket, "contested/" + std::to_string(i)});
  return names;
}

std::string MakeContested(std::uint64_t seed, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(&seed), sizeof seed);
  return bytes + Content{{{seed, size}}}.Render();
}

void CheckContested(const ObjectName& object, std::string_view bytes) {
  std::uint64_t seed = 0;
  if (bytes.size() < sizeof seed) throw Violation(ToUri(object) + " is cut short");
  std::memcpy(&seed, bytes.data(), sizeof seed);
  const std::string wanted = MakeContested(seed, bytes.size() - sizeof seed);
  if (bytes != wanted) throw Violation(ToUri(object) + " is no one version: " + DescribeDifference(bytes, wanted));
}

std::vector<Operation> ContestedOperations() {
  return {{"overwrite what others write", 4, OverwriteContested}, {"read what others write", 8, ReadContested}};
}

}  // namespace gcsflux::campaign
