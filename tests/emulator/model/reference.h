#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gcsflux::emulator {

/// A generation of an object, as the service should store it.
struct Version {
  std::int64_t generation = 0;
  std::int64_t metageneration = 1;
  std::string bytes = {};
  std::string content_type = {};
  std::map<std::string, std::string> metadata = {};
};

/// Preconditions of a request, checked against the live generation.
struct Conditions {
  std::optional<std::int64_t> generation_match = {};  ///< 0 if there is none.
  std::optional<std::int64_t> generation_not_match = {};
  std::optional<std::int64_t> metageneration_match = {};

  /// `live` may be null.
  [[nodiscard]] bool Hold(const Version* live) const;
  /// The status if they are not met.
  [[nodiscard]] int refusal() const { return generation_not_match ? 304 : 412; }
};

/// The parameters of a list.
struct Listing {
  std::string prefix = {};
  std::string delimiter = {};
  std::string start_offset = {};
  std::string glob = {};  ///< Made of characters, `?`, `*` and `**`; empty matches all.
  bool has_versions = false;
};

/// The list that is wanted: names with their generations, in order, and prefixes.
struct Listed {
  std::vector<std::pair<std::string, std::int64_t>> objects = {};
  std::vector<std::string> prefixes = {};

  friend bool operator==(const Listed&, const Listed&) = default;
};

/// The objects of one client in one bucket, by the service's rules, implemented in the simplest way. One thread.
class Reference {
 public:
  explicit Reference(bool is_versioned) : is_versioned_(is_versioned) {}

  /// Null if there is none.
  [[nodiscard]] Version* Live(const std::string& name);
  [[nodiscard]] Version* Find(const std::string& name, std::int64_t generation);
  [[nodiscard]] bool IsLive(const std::string& name, std::int64_t generation) const;
  /// The generations of a name, live and noncurrent.
  [[nodiscard]] std::vector<std::int64_t> Generations(const std::string& name) const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] Listed List(const Listing& listing) const;

  void Store(const std::string& name, Version version);
  /// The live generation, which must exist.
  void Delete(const std::string& name);
  void Delete(const std::string& name, std::int64_t generation);

 private:
  const bool is_versioned_;
  std::map<std::string, std::map<std::int64_t, Version>> versions_;
  std::map<std::string, std::int64_t> live_;
};

}  // namespace gcsflux::emulator
