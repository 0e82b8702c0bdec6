#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/dataset_report.h"

namespace gcsflux::internal {

/// The ten slowest of any number of objects. Each that is not among them costs one comparison, and its name is not
/// copied. Of objects that took equally long, the first ones are kept. For one thread at a time.
class SlowestObjects {
 public:
  static constexpr std::size_t kMost = 10;

  /// An object took so long. `make_name` gives its name, and is called only where the object is kept.
  template <class MakeName>
  void Note(double seconds, std::uint64_t bytes, MakeName make_name) {
    if (objects_.size() == kMost) {
      if (seconds <= objects_.back().seconds) return;
      objects_.pop_back();
    }
    const auto place = std::upper_bound(objects_.begin(), objects_.end(), seconds,
                                        [](double value, const SlowObject& object) { return value > object.seconds; });
    objects_.insert(place, SlowObject{.name = make_name(), .seconds = seconds, .bytes = bytes});
  }

  /// The slowest first.
  [[nodiscard]] const std::vector<SlowObject>& objects() const { return objects_; }

 private:
  std::vector<SlowObject> objects_;  // the slowest first
};

}  // namespace gcsflux::internal
