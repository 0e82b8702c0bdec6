#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/safetensors/safetensors.h"

namespace gcsflux {
namespace {

using internal::Shown;
using internal::Undecodable;

const SafeTensor& TensorOf(std::span<const SafetensorsHeader> headers, const TensorSlice& slice) {
  return headers[slice.file].tensors[slice.tensor];
}

// Slices that divide each dimension at the same places: each reaches from its offset to the next one, and none is
// missing.
class Grid {
 public:
  Grid(std::span<const SafetensorsHeader> headers, const JoinedTensor& whole)
      : headers_(headers), whole_(whole), cuts_(whole.slices.front().offsets.size()) {
    for (const TensorSlice& slice : whole.slices) {
      for (std::size_t i = 0; i < cuts_.size(); ++i) cuts_[i].push_back(slice.offsets[i]);
    }
    for (std::vector<std::int64_t>& cuts : cuts_) {
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    }
  }

  // The shape of the whole. Nothing if there is a hole or an overlap.
  std::optional<std::vector<std::int64_t>> Shape() const {
    std::vector<std::int64_t> shape(cuts_.size(), -1);
    std::set<std::vector<std::int64_t>> seen;
    for (const TensorSlice& slice : whole_.slices) {
      const std::vector<std::int64_t>& sizes = TensorOf(headers_, slice).shape;
      if (!seen.insert(slice.offsets).second) return std::nullopt;
      for (std::size_t i = 0; i < cuts_.size(); ++i) {
        if (!Reaches(i, slice.offsets[i], sizes[i], shape[i])) return std::nullopt;
      }
    }
    std::uint64_t cells = 1;
    for (const std::vector<std::int64_t>& cuts : cuts_) {
      if (cuts.front() != 0 || __builtin_mul_overflow(cells, cuts.size(), &cells)) return std::nullopt;
    }
    return cells == whole_.slices.size() ? std::optional(shape) : std::nullopt;
  }

 private:
  // A slice reaches from its offset to the next cut. In the last row it reaches to the end, which is the same for all;
  // `end` is -1 until it is known.
  bool Reaches(std::size_t dimension, std::int64_t offset, std::int64_t size, std::int64_t& end) const {
    const std::vector<std::int64_t>& cuts = cuts_[dimension];
    std::int64_t reached = 0;
    if (__builtin_add_overflow(offset, size, &reached)) return false;
    const auto next = std::upper_bound(cuts.begin(), cuts.end(), offset);
    if (next != cuts.end()) return reached == *next;
    if (end == -1) end = reached;
    return reached == end;
  }

  std::span<const SafetensorsHeader> headers_;
  const JoinedTensor& whole_;
  std::vector<std::vector<std::int64_t>> cuts_;
};

Result<void> AddSlice(JoinedTensor& whole, const SafetensorsHeader& header, const SafeTensor& tensor,
                      TensorSlice slice) {
  if (whole.slices.empty()) {
    whole.type = tensor.type;
    whole.dtype = tensor.dtype;
    whole.shape = tensor.shape;
  } else if (tensor.shape.empty() || whole.slices.front().offsets.empty() || slice.offsets.empty()) {
    return Undecodable(header.file, "", tensor.range.begin,
                       "tensor " + Shown(tensor.name) + " is in another file too, and is not a slice");
  } else if (whole.type != tensor.type || whole.slices.front().offsets.size() != slice.offsets.size()) {
    return Undecodable(header.file, "", tensor.range.begin,
                       "the slices of tensor " + Shown(tensor.name) + " differ in type or dimensions");
  }
  whole.slices.push_back(std::move(slice));
  return {};
}

// Ranks without rows have slices without elements, which lie anywhere in the grid. True if all are such slices: the
// tensor has no elements.
bool LeaveOutEmpty(std::span<const SafetensorsHeader> headers, JoinedTensor& whole) {
  const auto is_empty = [&](const TensorSlice& slice) { return ElementCount(TensorOf(headers, slice).shape) == 0; };
  if (std::ranges::all_of(whole.slices, is_empty)) return true;
  std::erase_if(whole.slices, is_empty);
  return false;
}

// The shape in which all slices lie.
std::vector<std::int64_t> ReachedShape(std::span<const SafetensorsHeader> headers, const JoinedTensor& whole) {
  std::vector<std::int64_t> shape(whole.slices.front().offsets.size(), 0);
  for (const TensorSlice& slice : whole.slices) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t reached = 0;
      if (__builtin_add_overflow(slice.offsets[i], TensorOf(headers, slice).shape[i], &reached)) continue;
      shape[i] = std::max(shape[i], reached);
    }
  }
  return shape;
}

}  // namespace

Result<std::vector<JoinedTensor>> JoinSlices(std::span<const SafetensorsHeader> headers) {
  std::map<std::string, JoinedTensor> by_name;
  for (std::size_t file = 0; file < headers.size(); ++file) {
    for (std::size_t i = 0; i < headers[file].tensors.size(); ++i) {
      const SafeTensor& tensor = headers[file].tensors[i];
      TensorSlice slice{.file = file, .tensor = i, .offsets = tensor.saved_offsets};
      auto added = AddSlice(by_name[tensor.name], headers[file], tensor, std::move(slice));
      if (!added) return added.error();
    }
  }
  std::vector<JoinedTensor> joined;
  joined.reserve(by_name.size());
  for (auto& [name, whole] : by_name) {
    whole.name = name;
    if (!whole.slices.front().offsets.empty() && LeaveOutEmpty(headers, whole)) {
      whole.shape = ReachedShape(headers, whole);
    } else if (!whole.slices.front().offsets.empty()) {
      auto shape = Grid(headers, whole).Shape();
      const std::string& file = headers[whole.slices.front().file].file;
      if (!shape) {
        return Undecodable(
            file, "", TensorOf(headers, whole.slices.front()).range.begin,
            "the slices of tensor " + Shown(name) + " do not make a whole: one is missing, or they overlap");
      }
      whole.shape = *std::move(shape);
    } else {
      whole.slices.front().offsets.assign(whole.shape.size(), 0);
    }
    joined.push_back(std::move(whole));
  }
  return joined;
}

}  // namespace gcsflux
