#include "emulator/model/reference.h"

namespace gcsflux::emulator {
namespace {

// By trying everything.
bool Matches(std::string_view glob, std::string_view name) {
  if (glob.empty()) return name.empty();
  if (glob.front() == '*') {
    const bool is_double = glob.starts_with("**");
    const std::string_view rest = glob.substr(is_double ? 2 : 1);
    for (std::size_t taken = 0;; ++taken) {
      if (Matches(rest, name.substr(taken))) return true;
      if (taken == name.size() || (name[taken] == '/' && !is_double)) return false;
    }
  }
  if (name.empty() || (glob.front() != '?' && glob.front() != name.front())) return false;
  if (glob.front() == '?' && name.front() == '/') return false;
  return Matches(glob.substr(1), name.substr(1));
}

// The prefix that the name is folded into; nothing if it is not folded.
std::optional<std::string> FoldedInto(const std::string& name, const Listing& listing) {
  if (listing.delimiter.empty()) return std::nullopt;
  const std::size_t found = name.find(listing.delimiter, listing.prefix.size());
  if (found == std::string::npos) return std::nullopt;
  return name.substr(0, found + listing.delimiter.size());
}

}  // namespace

bool Conditions::Hold(const Version* live) const {
  const std::int64_t generation = live != nullptr ? live->generation : 0;
  if (generation_match && *generation_match != generation) return false;
  if (generation_not_match && *generation_not_match == generation) return false;
  return !metageneration_match || (live != nullptr && live->metageneration == *metageneration_match);
}

Version* Reference::Live(const std::string& name) {
  const auto found = live_.find(name);
  return found != live_.end() ? Find(name, found->second) : nullptr;
}

Version* Reference::Find(const std::string& name, std::int64_t generation) {
  const auto found = versions_.find(name);
  if (found == versions_.end()) return nullptr;
  const auto version = found->second.find(generation);
  return version != found->second.end() ? &version->second : nullptr;
}

bool Reference::IsLive(const std::string& name, std::int64_t generation) const {
  const auto found = live_.find(name);
  return found != live_.end() && found->second == generation;
}

std::vector<std::int64_t> Reference::Generations(const std::string& name) const {
  std::vector<std::int64_t> generations;
  const auto found = versions_.find(name);
  if (found == versions_.end()) return generations;
  for (const auto& [generation, version] : found->second) generations.push_back(generation);
  return generations;
}

std::size_t Reference::size() const {
  std::size_t count = 0;
  for (const auto& [name, versions] : versions_) count += versions.size();
  return count;
}

Listed Reference::List(const Listing& listing) const {
  Listed listed;
  for (const auto& [name, versions] : versions_) {
    const bool is_within = name.starts_with(listing.prefix) && name >= listing.start_offset;
    if (!is_within || versions.empty()) continue;
    if (!listing.has_versions && !live_.contains(name)) continue;
    const std::optional<std::string> folded = FoldedInto(name, listing);
    if (!listing.glob.empty() && !Matches(listing.glob, folded ? *folded : name)) continue;
    if (folded) {
      if (listed.prefixes.empty() || listed.prefixes.back() != *folded) listed.prefixes.push_back(*folded);
      continue;
    }
    for (const auto& [generation, version] : versions) {
      if (listing.has_versions || IsLive(name, generation)) listed.objects.emplace_back(name, generation);
    }
  }
  return listed;
}

void Reference::Store(const std::string& name, Version version) {
  if (!is_versioned_) versions_.erase(name);
  const std::int64_t generation = version.generation;
  live_[name] = generation;
  versions_[name][generation] = std::move(version);
}

void Reference::Delete(const std::string& name) {
  if (!is_versioned_) versions_.erase(name);
  live_.erase(name);
}

void Reference::Delete(const std::string& name, std::int64_t generation) {
  versions_[name].erase(generation);
  if (IsLive(name, generation)) live_.erase(name);
}

}  // namespace gcsflux::emulator
