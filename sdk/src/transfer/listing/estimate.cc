#include "transfer/listing/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "transfer/listing/code_points.h"
#include "transfer/listing/key_line.h"

namespace gcsflux::internal::listing {
namespace {

// If a page is within one directory and its range goes beyond it: the end of that directory.
std::optional<std::string> EndOfOnlyDirectory(const Range& range) {
  const std::string_view directory = DirectoryOf(range.evidence->first);
  if (directory.empty() || DirectoryOf(range.evidence->last) != directory) return {};
  std::string end = EndOfPrefix(directory);
  if (!IsBefore(end, range.hi) || range.lo >= end) return {};
  return end;
}

constexpr double kUnknownPages = 4;  // assumed to be left if positions give no information

}  // namespace

// A range's evidence, start and end as positions.
struct Estimate::Line {
  Line(const Range& range, const std::string& end, const NameShapes& shapes)
      : keys(shapes.Of(DirectoryOf(Common(range.evidence->first, end))), range.evidence->first, end),
        lo(keys.At(range.lo)),
        hi(end.empty() ? 1 : keys.At(end)) {
    const Evidence& seen = *range.evidence;
    const double first = keys.At(seen.first);
    const double middle = keys.At(seen.middle);
    const double last = keys.At(seen.last);
    if (last <= middle || middle <= first) return;
    const auto count = static_cast<double>(seen.count);
    density = std::sqrt(count / (last - first) * (count / 2 / (last - middle)));
  }

  // Between a directory's names and its end lies the whole directory, so it is their common prefix up to '/'.
  static std::string Common(const std::string& first, const std::string& end) {
    const std::string_view directory = DirectoryOf(first);
    if (!end.empty() && !directory.empty() && EndOfPrefix(directory) == end) return std::string(directory);
    return first.substr(0, end.empty() ? 0 : CommonPrefix(first, end));
  }

  KeyLine keys;
  double lo;
  double hi;
  double density = 0;  // names per unit; 0 means unknown
};

void Estimate::SetMeanDirectory(std::size_t names, std::size_t directories) {
  mean_directory_ = static_cast<double>(names) / static_cast<double>(std::max<std::size_t>(1, directories));
}

double Estimate::OnLine(const Range& range, const std::string& hi) const {
  const Line line(range, hi, shapes_);
  return line.density > 0 ? line.density * std::max(0.0, line.hi - line.lo) : kUnknownPages * page_size_;
}

double Estimate::Behind(const std::string& lo, const std::string& hi) const {
  const std::size_t directories = anchors_.Inside(lo, hi).size();
  return directories == 0 ? page_size_ : static_cast<double>(directories + 1) * mean_directory_;
}

double Estimate::Remaining(const Range& range) const {
  const auto end = EndOfOnlyDirectory(range);
  double names = 0;
  if (end) {
    names = OnLine(range, *end) + Behind(*end, range.hi);
  } else if (anchors_.Inside(range.lo, range.hi).size() > 0) {
    names = Behind(range.lo, range.hi);
  } else {
    names = OnLine(range, range.hi);
  }
  if (range.surprises >= 2) names = std::max(names, page_size_ * std::exp2(std::min(range.surprises, 20)));
  return names;
}

std::vector<std::string> Estimate::Cuts(const Range& range, std::size_t parts) const {
  std::vector<std::string> cuts;
  if (const auto end = EndOfOnlyDirectory(range)) {
    const double inside = std::max(0.0, OnLine(range, *end) - InFlight(range));
    const double behind = Behind(*end, range.hi);
    // One part begins at the directory's end. The others are divided between both sides of it.
    const auto inner =
        static_cast<std::size_t>(std::lround(static_cast<double>(parts - 1) * inside / std::max(1.0, inside + behind)));
    CutLine(range, *end, inner, cuts);
    cuts.push_back(*end);
    CutAtAnchors(*end, range.hi, 0, parts - 1 - inner, cuts);
  } else if (anchors_.Inside(range.lo, range.hi).size() > 0) {
    CutAtAnchors(range.lo, range.hi, InFlight(range), parts, cuts);
  } else {
    CutLine(range, range.hi, parts, cuts);
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

void Estimate::CutLine(const Range& range, const std::string& hi, std::size_t parts,
                       std::vector<std::string>& cuts) const {
  if (parts == 0) return;
  const Line line(range, hi, shapes_);
  const double begin = line.lo + (line.density > 0 ? InFlight(range) / line.density : 0);
  const double share = (line.hi - begin) / static_cast<double>(parts + 1);
  if (share <= 0) return;
  for (std::size_t i = 1; i <= parts; ++i) {
    cuts.push_back(line.keys.KeyAt(begin + share * static_cast<double>(i), share / 64));
  }
}

void Estimate::CutAtAnchors(const std::string& lo, const std::string& hi, double names_to_skip, std::size_t parts,
                            std::vector<std::string>& cuts) const {
  const Anchors::Span inside = anchors_.Inside(lo, hi);
  if (inside.size() == 0 || parts == 0) return;
  const auto to_skip = static_cast<std::size_t>(names_to_skip / std::max(1.0, mean_directory_));
  const std::size_t first = inside.first + std::min(inside.size() - 1, to_skip);
  const std::size_t left = inside.last - first;
  const std::size_t made = std::min(parts, left);
  for (std::size_t i = 1; i <= made; ++i) cuts.push_back(anchors_.all()[first + left * i / (made + 1)]);
}

}  // namespace gcsflux::internal::listing
