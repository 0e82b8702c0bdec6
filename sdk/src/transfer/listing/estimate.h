#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "transfer/listing/anchors.h"
#include "transfer/listing/name_shapes.h"
#include "transfer/listing/tiling.h"

namespace gcsflux::internal::listing {

/// Estimates the unseen names from the pages seen so far. Wrong estimates cost time, never names.
class Estimate {
 public:
  Estimate(const NameShapes& shapes, const Anchors& anchors, std::size_t page_size)
      : shapes_(shapes), anchors_(anchors), page_size_(static_cast<double>(page_size)) {}

  /// `directories` are complete, and held `names` names.
  void SetMeanDirectory(std::size_t names, std::size_t directories);

  /// How many names are left in a range that has evidence.
  [[nodiscard]] double Remaining(const Range& range) const;

  /// At most `parts` keys that divide the rest of the range, behind the page in flight, into equal shares of names.
  [[nodiscard]] std::vector<std::string> Cuts(const Range& range, std::size_t parts) const;

 private:
  // The names from `lo` to `hi` by position on a line, with the density of the evidence.
  struct Line;
  [[nodiscard]] double OnLine(const Range& range, const std::string& hi) const;
  void CutLine(const Range& range, const std::string& hi, std::size_t parts, std::vector<std::string>& cuts) const;
  void CutAtAnchors(const std::string& lo, const std::string& hi, double names_to_skip, std::size_t parts,
                    std::vector<std::string>& cuts) const;
  [[nodiscard]] double Behind(const std::string& lo, const std::string& hi) const;
  [[nodiscard]] double InFlight(const Range& range) const { return range.call ? page_size_ : 0; }

  const NameShapes& shapes_;
  const Anchors& anchors_;
  const double page_size_;
  double mean_directory_ = 0;
};

}  // namespace gcsflux::internal::listing
