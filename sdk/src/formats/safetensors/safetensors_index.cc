#include <algorithm>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/bytes/relative_path.h"
#include "formats/safetensors/safetensors.h"
#include "formats/safetensors/safetensors_json.h"
#include "formats/safetensors/safetensors_types.h"

namespace gcsflux {
namespace {

// Sorted by name. Returns what is wrong; nothing if it is valid.
std::optional<std::string> WhyBroken(const SafetensorsIndex& index) {
  const auto& map = index.weight_map;
  const auto twice =
      std::adjacent_find(map.begin(), map.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != map.end()) return "the name " + internal::Shown(twice->first) + " is there twice";
  const auto outside =
      std::find_if(map.begin(), map.end(), [](const auto& entry) { return !internal::IsBelowFolder(entry.second); });
  if (outside == map.end()) return std::nullopt;
  return "the file " + internal::Shown(outside->second) + " of " + internal::Shown(outside->first) +
         " lies outside of the index's folder";
}

}  // namespace

std::vector<std::string> SafetensorsIndex::Files() const {
  std::vector<std::string> files;
  for (const auto& [name, file] : weight_map) {
    if (files.empty() || files.back() != file) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

Result<SafetensorsIndex> ReadSafetensorsIndex(const ByteSource& source) {
  if (source.size > internal::kMostHeaderBytes) {
    return internal::Undecodable(source.name, "", internal::kMostHeaderBytes, "the index has more than 100 MB");
  }
  std::string text(static_cast<std::size_t>(source.size), '\0');
  if (auto read = source.read_at(0, std::as_writable_bytes(std::span(text))); !read) return read.error();
  auto index = internal::ParseIndexJson(text, source.name);
  if (!index) return index;
  std::sort(index->weight_map.begin(), index->weight_map.end());
  if (const auto why = WhyBroken(*index)) return internal::Undecodable(source.name, "", 0, *why);
  return index;
}

}  // namespace gcsflux
