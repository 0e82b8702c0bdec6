#include "formats/bytes/boxes.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gcsflux/formats.h"

namespace gcsflux::internal {
namespace {

bool DoOverlap(const Box& a, const Box& b) {
  for (std::size_t i = 0; i < a.offsets.size(); ++i) {
    const bool is_apart = a.offsets[i] + a.sizes[i] <= b.offsets[i] || b.offsets[i] + b.sizes[i] <= a.offsets[i];
    if (is_apart || a.sizes[i] == 0 || b.sizes[i] == 0) return false;
  }
  return true;
}

// The dimension in which most boxes begin at different places. Sorted by it, few boxes lie side by side.
std::size_t BestDimension(std::span<const Box> boxes) {
  std::size_t best = 0;
  std::size_t most = 0;
  std::vector<std::int64_t> begins(boxes.size());
  for (std::size_t dimension = 0; dimension < boxes.front().offsets.size() && most < boxes.size(); ++dimension) {
    for (std::size_t i = 0; i < boxes.size(); ++i) begins[i] = boxes[i].offsets[dimension];
    if (!std::is_sorted(begins.begin(), begins.end())) std::sort(begins.begin(), begins.end());
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < begins.size(); ++i) distinct += begins[i] != begins[i - 1] ? 1 : 0;
    if (distinct <= most) continue;
    most = distinct;
    best = dimension;
  }
  return best;
}

}  // namespace

bool IsWithin(const Box& box, std::span<const std::int64_t> shape) {
  if (box.offsets.size() != shape.size() || box.sizes.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t end = 0;
    if (box.offsets[i] < 0 || box.sizes[i] < 0) return false;
    if (__builtin_add_overflow(box.offsets[i], box.sizes[i], &end) || end > shape[i]) return false;
  }
  return true;
}

// One or two seconds. Slices of ranks take few: thousands lie one behind the other, and few beside each other.
constexpr std::uint64_t kMostComparisons = std::uint64_t{1} << 27;

std::optional<std::pair<std::size_t, std::size_t>> FindOverlap(std::span<const Box> boxes) {
  if (boxes.size() < 2) return std::nullopt;
  if (boxes.front().offsets.empty()) return std::pair<std::size_t, std::size_t>(0, 1);
  const std::size_t dimension = BestDimension(boxes);
  const auto begin = [&](std::size_t box) { return boxes[box].offsets[dimension]; };
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return begin(a) < begin(b); });
  std::vector<std::size_t> beside;  // Boxes that begin before the present one, and reach beyond its begin.
  std::uint64_t comparisons_left = kMostComparisons;
  for (const std::size_t box : order) {
    if (comparisons_left < beside.size())
      return std::pair(std::min(beside.front(), box), std::max(beside.front(), box));
    comparisons_left -= beside.size();
    std::erase_if(beside,
                  [&](std::size_t other) { return begin(other) + boxes[other].sizes[dimension] <= begin(box); });
    for (const std::size_t other : beside) {
      if (DoOverlap(boxes[other], boxes[box])) return std::pair(std::min(other, box), std::max(other, box));
    }
    beside.push_back(box);
  }
  return std::nullopt;
}

bool DoTile(std::span<const Box> boxes, std::span<const std::int64_t> shape) {
  const auto whole = ElementCount(shape);
  std::uint64_t sum = 0;
  for (const Box& box : boxes) {
    if (!IsWithin(box, shape)) return false;
    sum += ElementCount(box.sizes).value_or(0);
  }
  return whole && !boxes.empty() && sum == *whole && (sum == 0 || !FindOverlap(boxes));
}

std::string ShownShape(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

}  // namespace gcsflux::internal
