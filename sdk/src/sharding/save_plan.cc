#include "sharding/save_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "sharding/announced_tensors.h"

namespace gcsflux::internal {
namespace {

using Entry = AnnouncedTensors::Entry;

/// A slice that one or several ranks have. Each entry has the rank's own index of it.
struct Copies {
  std::span<const Entry> entries = {};
  std::uint64_t bytes = 0;
  std::int64_t rows = 0;
  bool is_whole = false;
};

std::size_t RowDimension(std::span<const std::int64_t> own_shape) {
  const auto* const longer =
      std::find_if(own_shape.data(), own_shape.data() + own_shape.size(), [](std::int64_t size) { return size != 1; });
  return static_cast<std::size_t>(longer - own_shape.data());
}

class Planner {
 public:
  Planner(const AnnouncedTensors& announced, std::size_t ranks)
      : announced_(announced), plan_{.ranks = {}, .bytes = {}} {
    plan_.ranks.resize(ranks);
    plan_.bytes.resize(ranks, 0);
  }

  SavePlan Run() && {
    for (const auto& tensor : announced_.tensors()) AddTensor(tensor);
    const std::uint64_t mean = total_ / plan_.bytes.size();
    tolerance_ = std::max<std::uint64_t>(mean / 50, kLeastDivided);
    for (const auto& [ranks, copies] : groups_) ShareOut(ranks, copies);
    return std::move(plan_);
  }

 private:
  using Ranks = std::vector<std::uint32_t>;
  struct FewestRanksFirst {
    bool operator()(const Ranks& a, const Ranks& b) const { return a.size() != b.size() ? a.size() < b.size() : a < b; }
  };

  void Write(const Entry& entry, std::int64_t begin, std::int64_t end, std::uint64_t bytes) {
    plan_.ranks[entry.rank].push_back({entry.part, begin, end});
    plan_.bytes[entry.rank] += bytes;
  }

  void AddTensor(const AnnouncedTensors::Tensor& tensor) {
    const std::span<const Entry> entries(tensor.entries);
    for (std::size_t first = 0; first < entries.size();) {
      const Box box = announced_.BoxOf(tensor, entries[first]);
      std::size_t end = first + 1;
      const auto is_copy = [&](const Entry& entry) {
        const Box other = announced_.BoxOf(tensor, entry);
        return std::ranges::equal(other.offsets, box.offsets) && std::ranges::equal(other.sizes, box.sizes);
      };
      while (end < entries.size() && is_copy(entries[end])) ++end;
      AddCopies({.entries = entries.subspan(first, end - first),
                 .bytes = *ElementCount(box.sizes) * ElementBytes(tensor.dtype),
                 .rows = RowCount(box.sizes),
                 .is_whole = std::ranges::equal(box.sizes, tensor.shape)});
      first = end;
    }
  }

  void AddCopies(const Copies& copies) {
    total_ += copies.bytes;
    if (copies.entries.size() == 1) return Write(copies.entries.front(), 0, copies.rows, copies.bytes);
    Ranks ranks;
    for (const Entry& entry : copies.entries) ranks.push_back(entry.rank);
    groups_[std::move(ranks)].push_back(copies);
  }

  // How many bytes each of the ranks takes, so that the smallest shares grow to one level.
  [[nodiscard]] std::vector<std::uint64_t> CapacityOf(const Ranks& ranks, std::uint64_t bytes) const {
    std::vector<std::uint64_t> shares;
    for (const std::uint32_t rank : ranks) shares.push_back(plan_.bytes[rank]);
    std::vector<std::uint64_t> sorted = shares;
    std::sort(sorted.begin(), sorted.end());
    std::uint64_t level = 0;
    std::uint64_t sum = bytes;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      sum += sorted[i];
      level = sum / (i + 1);
      if (i + 1 == sorted.size() || level <= sorted[i + 1]) break;
    }
    for (std::uint64_t& share : shares) share = level > share ? level - share : 0;
    return shares;
  }

  // The row at which the first `bytes` of a slice end, as near as its rows allow. Only whole tensors are divided,
  // because readers of safetensors require that the parts of a tensor form a grid.
  [[nodiscard]] std::int64_t RowAt(const Copies& copies, std::uint64_t bytes) const {
    if (bytes >= copies.bytes) return copies.rows;
    if (!copies.is_whole || copies.bytes <= tolerance_) return bytes >= copies.bytes - bytes ? copies.rows : 0;
    const std::uint64_t row_bytes = copies.bytes / static_cast<std::uint64_t>(copies.rows);
    return static_cast<std::int64_t>((bytes + row_bytes / 2) / row_bytes);
  }

  // Lays the slices end to end, and gives each rank a stretch of that line.
  void ShareOut(const Ranks& ranks, const std::vector<Copies>& line) {
    std::uint64_t length = 0;
    for (const Copies& copies : line) length += copies.bytes;
    const std::vector<std::uint64_t> capacities = CapacityOf(ranks, length);
    std::size_t at = 0;
    std::uint64_t stretch_end = capacities[0];
    std::uint64_t begin = 0;
    for (const Copies& copies : line) {
      std::int64_t row = 0;
      do {
        const bool is_last = at + 1 == ranks.size();
        const std::uint64_t bytes_left = stretch_end > begin ? stretch_end - begin : 0;
        const std::int64_t end = is_last ? copies.rows : std::max(row, RowAt(copies, bytes_left));
        if (end > row || copies.rows == 0) Write(copies.entries[at], row, end, BytesOf(copies, row, end));
        row = end;
        if (row < copies.rows) stretch_end += capacities[++at];
      } while (row < copies.rows);
      begin += copies.bytes;
    }
  }

  static std::uint64_t BytesOf(const Copies& copies, std::int64_t begin, std::int64_t end) {
    if (copies.rows == 0) return 0;
    return copies.bytes / static_cast<std::uint64_t>(copies.rows) * static_cast<std::uint64_t>(end - begin);
  }

  const AnnouncedTensors& announced_;
  SavePlan plan_;
  std::uint64_t total_ = 0;
  std::uint64_t tolerance_ = 0;
  std::map<Ranks, std::vector<Copies>, FewestRanksFirst> groups_;  // By the ranks that have them.
};

}  // namespace

Result<SavePlan> PlanSave(std::span<const std::string> announcements) {
  const auto announced = AnnouncedTensors::Read(announcements);
  if (!announced) return announced.error();
  return Planner(*announced, announcements.size()).Run();
}

std::int64_t RowCount(std::span<const std::int64_t> own_shape) {
  if (ElementCount(own_shape).value_or(0) == 0) return 0;
  const std::size_t dimension = RowDimension(own_shape);
  return dimension == own_shape.size() ? 1 : own_shape[dimension];
}

TensorPart RowsOfPart(const TensorPart& part, const PlannedRows& rows) {
  const std::vector<std::int64_t>& own = part.OwnShape();
  if (rows.begin == 0 && rows.end == RowCount(own)) return part;
  TensorPart taken = part;
  taken.sizes = own;
  taken.offsets.resize(own.size(), 0);
  const std::size_t dimension = RowDimension(own);
  taken.offsets[dimension] += rows.begin;
  taken.sizes[dimension] = rows.end - rows.begin;
  return taken;
}

FileRange BytesOfRows(const TensorPart& part, const PlannedRows& rows) {
  const std::int64_t count = RowCount(part.OwnShape());
  if (count == 0) return {};
  const std::uint64_t bytes = *ElementCount(part.OwnShape()) * ElementBytes(part.dtype);
  const std::uint64_t row = bytes / static_cast<std::uint64_t>(count);
  return {row * static_cast<std::uint64_t>(rows.begin), row * static_cast<std::uint64_t>(rows.end)};
}

}  // namespace gcsflux::internal
