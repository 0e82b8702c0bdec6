#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gcsflux::cli {

/// A file below a directory, or an object below a prefix.
struct TreeEntry {
  /// Below the directory: "a/b". An object may have any name; a file's name has no empty component.
  std::string name = {};
  std::uint64_t size = 0;
  std::chrono::system_clock::time_point modified = {};
  std::int64_t generation = 0;               ///< Of an object.
  std::optional<std::uint32_t> crc32c = {};  ///< Of an object; unknown for a file.
  bool is_pinned = false;                    ///< The user named this generation: no other one takes its place.
};

/// The entries below a root.
struct ListedTree {
  std::vector<TreeEntry> entries = {};     ///< In bytewise order of their names.
  std::vector<std::string> left_out = {};  ///< Names in a directory that cannot be copied: links, devices.
};

/// The root of a tree: a local directory, or a prefix of a bucket's names.
struct Root {
  std::string bucket = {};  ///< Empty for a local root.
  std::string prefix = {};  ///< Put before each name unchanged: "dir/", or empty.

  [[nodiscard]] bool is_local() const { return bucket.empty(); }
  /// For people: "dir/a" or "gs://bucket/dir/a".
  [[nodiscard]] std::string PathOf(const std::string& name) const {
    return (is_local() ? "" : "gs://" + bucket + "/") + prefix + name;
  }

  friend bool operator==(const Root&, const Root&) = default;
};

}  // namespace gcsflux::cli
