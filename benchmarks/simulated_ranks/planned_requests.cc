#include "simulated_ranks/planned_requests.h"

#include <sys/mman.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sharding/announcement.h"
#include "sharding/load_plan.h"
#include "sharding/save_plan.h"
#include "sharding/shard_file.h"
#include "transfer/object_reader/join_ranges.h"
#include "transfer/object_reader/request_pace.h"
#include "transfer/upload/part_bytes.h"
#include "transfer/upload/part_queue.h"

namespace gcsflux::bench {
namespace {

constexpr std::int64_t kColumns = 1024;

/// Addresses that are never touched: a plan of a load needs destinations.
class UntouchedMemory {
 public:
  explicit UntouchedMemory(std::size_t bytes)
      : bytes_(bytes), memory_(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::runtime_error("no room for " + std::to_string(bytes) + " bytes");
  }
  ~UntouchedMemory() { munmap(memory_, bytes_); }
  UntouchedMemory(const UntouchedMemory&) = delete;
  UntouchedMemory& operator=(const UntouchedMemory&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(memory_), bytes_}; }

 private:
  const std::size_t bytes_;
  void* const memory_;
};

std::vector<TensorPart> PartsOf(const SimulatedJob& job, int rank, int ranks) {
  const auto whole = static_cast<std::int64_t>(job.bytes_per_rank / 4) * job.ranks / job.tensors / kColumns;
  std::vector<TensorPart> parts;
  for (int i = 0; i < job.tensors; ++i) {
    const std::string layer = "layers." + std::to_string(i);
    parts.push_back(
        *Sharded(layer + ".weight", DType::kFloat32, {whole, kColumns}, {.rank = rank, .world_size = ranks}));
    parts.push_back({.name = layer + ".norm", .dtype = DType::kFloat32, .shape = {kColumns}});
  }
  return parts;
}

std::uint64_t BytesOf(const TensorPart& part) { return *ElementCount(part.OwnShape()) * ElementBytes(part.dtype); }

/// Who saves what.
struct PlannedSave {
  std::vector<std::vector<TensorPart>> announced = {};
  internal::SavePlan plan = {};
};

PlannedSave PlanOf(const SimulatedJob& job) {
  PlannedSave planned;
  std::vector<std::string> announcements;
  for (int rank = 0; rank < job.ranks; ++rank) {
    planned.announced.push_back(PartsOf(job, rank, job.ranks));
    const internal::AnnouncedSave save{
        .host = "host-" + std::to_string(rank / 8), .uri = "gs://bucket/run/", .step = 1, .mode = CommitMode::kCreate};
    announcements.push_back(internal::FormatAnnouncement(save, planned.announced.back()));
  }
  auto plan = internal::PlanSave(announcements);
  if (!plan.ok()) throw std::runtime_error(plan.error().message);
  planned.plan = *std::move(plan);
  return planned;
}

// As ObjectWriter divides an object whose bytes arrive as fast as it can send them.
Stage Parts(std::uint64_t bytes, const SimulatedSave& save, std::uint32_t range) {
  const std::uint64_t memory = save.part_bytes * static_cast<std::uint64_t>(save.connections);
  Stage parts;
  while (bytes > 0) {
    const int number = static_cast<int>(parts.size()) + 1;
    std::uint64_t buffer = std::min(bytes, internal::PartBytes(save.part_bytes, number, memory));
    while (buffer > 0) {
      const std::uint64_t part = internal::NextPartBytes({.left = buffer,
                                                          .queued = std::min(bytes, memory),
                                                          .number = static_cast<int>(parts.size()) + 1,
                                                          .concurrency = static_cast<std::uint64_t>(save.connections),
                                                          .is_ended = bytes <= memory,
                                                          .is_last_buffer = bytes == buffer});
      parts.push_back({.is_write = true, .bytes = part, .range = range});
      buffer -= part;
      bytes -= part;
    }
  }
  return parts;
}

CheckpointManifest ManifestOf(const PlannedSave& planned) {
  CheckpointManifest manifest{.step = 1};
  for (std::size_t rank = 0; rank < planned.announced.size(); ++rank) {
    std::uint64_t at = 0;
    for (const internal::PlannedRows& rows : planned.plan.ranks[rank]) {
      const TensorPart part = internal::RowsOfPart(planned.announced[rank][rows.part], rows);
      const std::uint64_t bytes = BytesOf(part);
      StepTensor slice{.name = part.name, .file = rank, .range = {at, at + bytes}, .dtype = part.dtype};
      slice.shape = part.OwnShape();
      slice.offsets = part.offsets;
      if (!part.offsets.empty()) slice.whole_shape = part.shape;
      manifest.tensors.push_back(std::move(slice));
      at += bytes;
    }
    manifest.files.push_back({.name = internal::ShardName(static_cast<int>(rank)), .size = at, .generation = 1});
  }
  return manifest;
}

Stage ReadsOf(const CheckpointManifest& manifest, const std::vector<TensorPart>& wanted, const SimulatedLoad& load,
              std::span<std::byte> memory) {
  std::vector<PartToLoad> parts;
  for (const TensorPart& part : wanted) {
    const auto bytes = static_cast<std::size_t>(BytesOf(part));
    parts.push_back({part, memory.first(bytes)});
    memory = memory.subspan(bytes);
  }
  const internal::LoadPlan plan = internal::PlanLoad(manifest, parts);
  if (!plan.problems.empty()) throw std::runtime_error(plan.problems.front());
  constexpr std::uint64_t kGap = 2U << 20;    // Of a reader that has measured a fast network.
  constexpr std::uint64_t kLeast = 4U << 20;  // Likewise.
  Stage reads;
  for (std::size_t file = 0; file < plan.files.size(); ++file) {
    if (plan.files[file].ranges.empty()) continue;
    std::uint64_t total = 0;
    for (const RangeRead& range : plan.files[file].ranges) total += range.into.size();
    const auto stripe =
        internal::EvenPiece(total, static_cast<std::uint64_t>(load.connections), kLeast, load.stripe_bytes);
    for (const auto& joined : internal::JoinRanges(plan.files[file].ranges, kGap, stripe)) {
      reads.push_back({.bytes = joined.extent.length, .range = static_cast<std::uint32_t>(file) % load.ranges});
    }
  }
  return reads;
}

}  // namespace

std::vector<RankStages> RequestsOfSave(const SimulatedJob& job, const SimulatedSave& save) {
  const PlannedSave planned = PlanOf(job);
  std::vector<RankStages> ranks;
  for (std::size_t rank = 0; rank < planned.plan.bytes.size(); ++rank) {
    // All requests of an upload go to its temporary name, except the compose, which goes to the shard's name.
    const std::uint32_t range = static_cast<std::uint32_t>(rank) % save.ranges;
    const Stage one = {{.is_write = true, .range = range}};
    const Stage compose = {{.is_write = true, .range = save.ranges}};
    ranks.push_back({one, Parts(planned.plan.bytes[rank], save, range), one, compose, one});
  }
  return ranks;
}

std::vector<RankStages> RequestsOfLoad(const SimulatedJob& job, const SimulatedLoad& load) {
  const CheckpointManifest manifest = ManifestOf(PlanOf(job));
  const UntouchedMemory memory(static_cast<std::size_t>(job.bytes_per_rank) * 2 *
                               static_cast<std::size_t>(std::max(1, job.ranks / load.ranks)));
  std::vector<RankStages> ranks;
  for (int rank = 0; rank < load.ranks; ++rank) {
    ranks.push_back({ReadsOf(manifest, PartsOf(job, rank, load.ranks), load, memory.bytes())});
  }
  return ranks;
}

}  // namespace gcsflux::bench
