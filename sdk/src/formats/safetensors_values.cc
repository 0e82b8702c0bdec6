#include <algorithm>
#include <map>
#include <set>

#include "formats/bytes/format_error.h"
#include "formats/safetensors_files.h"
#include "formats/state_json.h"

namespace gcsflux::internal {
namespace {

// In a step of many ranks, rank 0's values do not name the slices that only others have.
void AddUnnamed(const std::vector<StoredTensor>& tensors, pickled::Value& root) {
  auto* const dict = std::get_if<pickled::Dict>(&root.any);
  if (dict == nullptr) return;
  std::set<std::string> named;
  for (NamedLayout& tensor : NamedLayouts(root)) named.insert(std::move(tensor.name));
  for (const StoredTensor& tensor : tensors) {
    if (!named.contains(tensor.name)) dict->entries.push_back({{.any = tensor.name}, {.any = tensor.layout}});
  }
}

}  // namespace

const std::string* SafetensorsFiles::FindState() const {
  const auto found =
      std::find_if(metadata_.begin(), metadata_.end(), [](const auto& entry) { return entry.first == kStateKey; });
  return found == metadata_.end() ? nullptr : &found->second;
}

Result<pickled::Value> SafetensorsFiles::ReadValue(std::string_view name) const {
  const std::string* const state = FindState();
  if (state == nullptr) return Undecodable(name_, "", 0, "files of safetensors hold tensors only");
  std::map<std::string_view, const TensorLayout*> layouts;
  for (const StoredTensor& tensor : tensors()) layouts.emplace(tensor.name, &tensor.layout);
  const FindLayout find = [&](const std::string& tensor) -> Result<TensorLayout> {
    if (const auto found = layouts.find(tensor); found != layouts.end()) return *found->second;
    const auto why =
        std::find_if(refused_.begin(), refused_.end(), [&](const RefusedValue& value) { return value.name == tensor; });
    if (why != refused_.end()) return Undecodable(name_, "", 0, Shown(tensor) + ": " + why->why);
    return Undecodable(name_, "", 0,
                       "its values name the tensor " + Shown(tensor) +
                           ", which it lacks; if it is the file of a run's step, open the step by its manifest");
  };
  auto root = ParseState(*state, name_, find);
  if (!root) return root.error();
  AddUnnamed(tensors(), *root);
  if (const pickled::Value* const value = FindByName(*root, name)) return *value;
  return Error{ErrorCode::kNotFound, name_ + ": it has no value " + Shown(std::string(name))};
}

}  // namespace gcsflux::internal
