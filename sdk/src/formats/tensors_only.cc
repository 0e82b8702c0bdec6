#include "formats/tensors_only.h"

#include <algorithm>
#include <utility>

#include "formats/bytes/format_error.h"
#include "formats/safetensors/safetensors_types.h"
#include "formats/state_json.h"
#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux {
namespace {

// Containers are read up to 256 levels deep, so this recursion ends.
class LeafNames {
 public:
  void Visit(const pickled::Value& value, const std::string& name) {
    if (const auto* const dict = value.As<pickled::Dict>()) {
      for (const auto& [key, item] : dict->entries) Visit(item, Below(name, TextOf(key)));
    } else if (const auto* const list = value.As<pickled::List>()) {
      VisitAll(list->items, name);
    } else if (const auto* const tuple = value.As<pickled::Tuple>()) {
      VisitAll(tuple->items, name);
    } else if (value.As<TensorLayout>() == nullptr) {
      names_.push_back(name);
    }
  }
  std::vector<std::string> Take() && { return std::move(names_); }

 private:
  static std::string Below(const std::string& name, const std::string& child) {
    return name.empty() ? child : name + "." + child;
  }
  static std::string TextOf(const pickled::Value& key) {
    if (const auto* const text = key.As<std::string>()) return *text;
    if (const auto* const number = key.As<std::int64_t>()) return std::to_string(*number);
    return "#";
  }
  void VisitAll(const std::vector<pickled::Value>& items, const std::string& name) {
    for (std::size_t i = 0; i < items.size(); ++i) Visit(items[i], Below(name, std::to_string(i)));
  }

  std::vector<std::string> names_;
};

}  // namespace

Result<std::vector<std::string>> OtherValues(const StoredCheckpoint& checkpoint) {
  LeafNames leaves;
  if (!IsSafetensors(checkpoint.format())) {
    const auto root = checkpoint.ReadValue();
    if (!root) return root.error();
    leaves.Visit(*root, "");
  }
  std::vector<std::string> names = std::move(leaves).Take();
  for (const RefusedValue& value : checkpoint.refused()) names.push_back(value.name);
  for (const auto& [key, value] : checkpoint.metadata()) {
    // Once slices are joined, their offsets say nothing more.
    if (key != "format" && key != internal::kSlicesName) names.push_back("__metadata__." + key);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

namespace internal {

Result<void> CheckTensorsOnly(const StoredCheckpoint& checkpoint, bool keeps_values) {
  auto others = OtherValues(checkpoint);
  if (!others) return others.error();
  if (keeps_values) std::erase(*others, std::string("__metadata__.") + kStateKey);
  if (others->empty()) return {};
  constexpr std::size_t kShown = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(others->size(), kShown); ++i) {
    names += (i == 0 ? "" : ", ") + Shown((*others)[i]);
  }
  if (others->size() > kShown) names += " and " + std::to_string(others->size() - kShown) + " more";
  return Error{ErrorCode::kInvalidArgument, checkpoint.name() +
                                                ": it holds more than tensors, which the other format has no place "
                                                "for: " +
                                                names + "; convert the tensors only, or keep the format"};
}

}  // namespace internal
}  // namespace gcsflux
