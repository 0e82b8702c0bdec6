#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "transfer/listing/alphabets.h"

namespace gcsflux::internal::listing {

/// The patterns of names: of all names, and of the names in single directories with pages of them. A directory has its
/// own alphabets: file numbers in one directory and labels in another, learned together, would put cuts where no name
/// is.
class NameShapes {
 public:
  /// Learns a sample of a page's names, or of the directories of a '/' listing, in order.
  void Learn(std::span<const std::string_view> names);
  /// The alphabets of the innermost known directory that is or contains `directory` ("a/b/").
  [[nodiscard]] const Alphabets& Of(std::string_view directory) const;

 private:
  struct Shape {
    Alphabets alphabets = {};
    std::uint64_t learned_at = 0;
    bool is_known = false;  // the last page's sample was no new information
  };
  void ForgetOldest();

  Shape all_;
  std::map<std::string, Shape, std::less<>> directories_;
  std::uint64_t pages_ = 0;
};

}  // namespace gcsflux::internal::listing
