#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/dataset.h"

namespace gcsflux::internal {

/// Keeps the ten slowest objects. Every other object costs one comparison, and its name is not copied. If objects took
/// equally long, the first ones are kept. For one thread at a time.
class SlowestObjects {
 public:
  static constexpr std::size_t kMost = 10;

  /// An object took this long. `make_name` gives its name; it is called only if the object is kept.
  template <class MakeName>
  void Note(std::chrono::nanoseconds duration, std::uint64_t bytes, MakeName make_name) {
    if (objects_.size() == kMost) {
      if (duration <= objects_.back().duration) return;
      objects_.pop_back();
    }
    const auto is_slower = [](std::chrono::nanoseconds value, const ReportedObject& object) {
      return value > object.duration;
    };
    const auto place = std::upper_bound(objects_.begin(), objects_.end(), duration, is_slower);
    objects_.insert(place, ReportedObject{.name = make_name(), .duration = duration, .bytes = bytes});
  }

  /// The slowest first.
  [[nodiscard]] const std::vector<ReportedObject>& objects() const { return objects_; }

 private:
  std::vector<ReportedObject> objects_;  // the slowest first
};

}  // namespace gcsflux::internal
