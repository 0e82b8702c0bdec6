#include "formats/distributed/flatten.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "formats/bytes/format_error.h"

namespace gcsflux::internal {
namespace {

using pickled::Value;

bool HoldsTensor(const Value& value) {
  const auto any_of = [](const std::vector<Value>& items) { return std::ranges::any_of(items, HoldsTensor); };
  if (value.As<TensorLayout>() != nullptr || value.As<pickled::Storage>() != nullptr) return true;
  if (const auto* const tuple = value.As<pickled::Tuple>()) return any_of(tuple->items);
  if (const auto* const set = value.As<pickled::Set>()) return any_of(set->items);
  return false;  // Lists and dictionaries with tensors are divided.
}

// PyTorch's _is_terminal().
bool IsLeaf(const Value& value) {
  if (value.As<pickled::Dict>() != nullptr) return false;
  const auto* const list = value.As<pickled::List>();
  if (list == nullptr) return true;
  return std::ranges::all_of(list->items, [](const Value& item) {
    const bool is_tensor = item.As<TensorLayout>() != nullptr;
    return !is_tensor && IsLeaf(item);
  });
}

// Values are at most 256 levels deep, so this recursion ends.
class Flattening {
 public:
  explicit Flattening(std::vector<FlatValue>& leaves) : leaves_(leaves) {}

  Result<void> Visit(const Value& value, const std::string& name) {
    if (const auto* const dict = value.As<pickled::Dict>()) return VisitDict(*dict, name);
    if (!IsLeaf(value)) return VisitList(*value.As<pickled::List>(), name);
    if (value.As<TensorLayout>() == nullptr && HoldsTensor(value)) {
      return Refuse(name,
                    "it is a tuple or a set with tensors, which PyTorch's distributed checkpoints hold only as a "
                    "pickle; make it a list");
    }
    if (!names_.insert(name).second) return Refuse(name, "two values have this name");
    leaves_.push_back({name, steps_, &value});
    return {};
  }

 private:
  static Error Refuse(const std::string& name, const std::string& why) {
    return {ErrorCode::kInvalidArgument, Shown(name) + ": " + why};
  }

  Result<void> VisitDict(const pickled::Dict& dict, const std::string& name) {
    for (const auto& [key, item] : dict.entries) {
      const auto* const text = key.As<std::string>();
      const auto* const number = key.As<std::int64_t>();
      if (text == nullptr && number == nullptr) return Refuse(name, "a key is neither a text nor a number");
      const std::string step = text != nullptr ? *text : std::to_string(*number);
      if (auto visited = VisitBelow(item, name, step, step); !visited) return visited;
    }
    return {};
  }

  Result<void> VisitList(const pickled::List& list, const std::string& name) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      auto visited = VisitBelow(list.items[i], name, std::to_string(i), static_cast<std::int64_t>(i));
      if (!visited) return visited;
    }
    return {};
  }

  Result<void> VisitBelow(const Value& item, const std::string& name, const std::string& text, PathStep step) {
    const bool is_root = steps_.empty();
    steps_.push_back(std::move(step));
    auto visited = Visit(item, is_root ? text : name + "." + text);
    steps_.pop_back();
    return visited;
  }

  std::vector<FlatValue>& leaves_;
  std::vector<PathStep> steps_;
  std::set<std::string> names_;
};

}  // namespace

Result<std::vector<FlatValue>> FlattenValues(const Value& root) {
  std::vector<FlatValue> leaves;
  if (root.As<pickled::Dict>() == nullptr) {
    return Error{ErrorCode::kInvalidArgument, "it holds no dictionary, which distributed checkpoints are made of"};
  }
  if (auto visited = Flattening(leaves).Visit(root, ""); !visited) return visited.error();
  return leaves;
}

}  // namespace gcsflux::internal
