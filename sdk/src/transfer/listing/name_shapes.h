#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "transfer/listing/alphabets.h"

namespace gcsflux::internal::listing {

/// What names look like: as a whole, and within single directories that hold pages of them. A directory has alphabets
/// of its own, since numbers of files in one and of labels in another, learned as one, put cuts where no name is.
class NameShapes {
 public:
  /// A page's names, or the directories of a '/' listing, in order. A sample of them is learned.
  void Learn(std::span<const std::string_view> names);
  /// Of the innermost directory known that `directory` ("a/b/") is or is in.
  [[nodiscard]] const Alphabets& Of(std::string_view directory) const;

 private:
  struct Shape {
    Alphabets alphabets = {};
    std::uint64_t learned_at = 0;
    bool is_known = false;  // the last page's sample was no news
  };
  void ForgetOldest();

  Shape all_;
  std::map<std::string, Shape, std::less<>> directories_;
  std::uint64_t pages_ = 0;
};

}  // namespace gcsflux::internal::listing
