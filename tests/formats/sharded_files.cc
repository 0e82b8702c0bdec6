#include "formats/sharded_files.h"

#include <vector>

#include "formats/local_file.h"
#include "sharding/announcement.h"
#include "sharding/save_plan.h"
#include "sharding/shard_file.h"

namespace gcsflux::formats_tests {
namespace {

constexpr int kRanks = 3;

std::vector<TensorPart> PartsOf(int rank) {
  std::vector<TensorPart> parts = {*Sharded("rows", DType::kFloat32, {7, 4}, {.rank = rank, .world_size = kRanks}),
                                   *Sharded("columns", DType::kInt64, {3, 8}, {.rank = rank, .world_size = kRanks}, 1),
                                   {.name = "copied", .dtype = DType::kFloat32, .shape = {3000, 2}}};
  if (rank == kRanks - 1) parts.push_back({.name = "alone", .dtype = DType::kFloat64, .shape = {}});
  return parts;
}

// The elements of the part, as bytes of its type.
template <class Element>
std::vector<std::byte> Places(const TensorPart& part) {
  const std::vector<std::int64_t>& own = part.OwnShape();
  const auto strides = ContiguousStrides(part.shape);
  std::vector<std::byte> bytes;
  for (std::uint64_t i = 0; i < *ElementCount(own); ++i) {
    std::int64_t place = 0;
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t dimension = own.size(); dimension-- > 0; rest /= own[dimension]) {
      const std::int64_t offset = part.offsets.empty() ? 0 : part.offsets[dimension];
      place += (offset + rest % own[dimension]) * strides[dimension];
    }
    const auto element = static_cast<Element>(place);
    const auto* const first = reinterpret_cast<const std::byte*>(&element);
    bytes.insert(bytes.end(), first, first + sizeof(element));
  }
  return bytes;
}

std::vector<std::byte> BytesOf(const TensorPart& part) {
  if (part.dtype == DType::kInt64) return Places<std::int64_t>(part);
  return part.dtype == DType::kFloat64 ? Places<double>(part) : Places<float>(part);
}

Result<void> WriteFile(const std::string& path, const std::vector<TensorPart>& parts,
                       const std::vector<internal::PlannedRows>& planned) {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<PartToSave> chosen;
  for (const internal::PlannedRows& rows : planned) {
    const TensorPart part = internal::RowsOfPart(parts[rows.part], rows);
    bytes.push_back(BytesOf(part));
    chosen.push_back({part, bytes.back()});
  }
  const auto sink = CreateLocalFile(path);
  if (!sink.ok()) return sink.error();
  std::vector<StepTensor> tensors;
  return internal::WriteShard(chosen, {}, *sink, tensors);
}

}  // namespace

Result<void> WriteShardedFiles(const std::string& directory) {
  std::vector<std::string> announcements;
  for (int rank = 0; rank < kRanks; ++rank) {
    const internal::AnnouncedSave save{.host = "here", .uri = "gs://bucket/run/", .step = 1};
    announcements.push_back(internal::FormatAnnouncement(save, PartsOf(rank)));
  }
  const auto plan = internal::PlanSave(announcements);
  if (!plan.ok()) return plan.error();
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::string path = directory + "/" + internal::ShardName(rank);
    auto written = WriteFile(path, PartsOf(rank), plan->ranks[static_cast<std::size_t>(rank)]);
    if (!written.ok()) return written;
  }
  return {};
}

}  // namespace gcsflux::formats_tests
