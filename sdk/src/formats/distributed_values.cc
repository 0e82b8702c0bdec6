#include <algorithm>

#include "formats/bytes/format_error.h"
#include "formats/distributed_archives.h"
#include "formats/distributed_files.h"
#include "formats/pickle/most_levels.h"
#include "formats/state_json.h"

// The nested dictionary that was saved, made from the names, the paths and the values of a distributed checkpoint.
namespace gcsflux::internal {
namespace {

using pickled::Value;

struct Leaf {
  const std::vector<PathStep>* path = nullptr;
  Value value = {};
};

// Whether a value of this name is within, or around, the one that is wanted.
bool IsWithinOrAround(std::string_view name, std::string_view wanted) {
  const auto begins = [](std::string_view longer, std::string_view shorter) {
    return longer.starts_with(shorter) && (longer.size() == shorter.size() || longer[shorter.size()] == '.');
  };
  return wanted.empty() || begins(name, wanted) || begins(wanted, name);
}

std::string TextOf(const PathStep& step) {
  const auto* const text = std::get_if<std::string>(&step);
  return text != nullptr ? *text : std::to_string(std::get<std::int64_t>(step));
}

std::string Joined(const std::vector<PathStep>& path) {
  std::string name;
  for (std::size_t i = 0; i < path.size(); ++i) name += (i == 0 ? "" : ".") + TextOf(path[i]);
  return name;
}

// Tensors that PyTorch did not divide from the value around them: they have no place among the checkpoint's storages.
void RefuseTensors(Value& value) {
  constexpr std::string_view kWhy = "a tensor within a value that PyTorch saved whole, such as a tuple";
  const auto refuse_all = [](auto& items) {
    for (Value& item : items) RefuseTensors(item);
  };
  const auto refuse_entries = [](pickled::Entries& entries) {
    for (auto& [key, item] : entries) RefuseTensors(item);
  };
  if (value.As<TensorLayout>() != nullptr || value.As<pickled::Storage>() != nullptr) {
    value.any = pickled::Refused{std::string(kWhy)};
  } else if (auto* const list = std::get_if<pickled::List>(&value.any)) {
    refuse_all(list->items);
  } else if (auto* const tuple = std::get_if<pickled::Tuple>(&value.any)) {
    refuse_all(tuple->items);
  } else if (auto* const set = std::get_if<pickled::Set>(&value.any)) {
    refuse_all(set->items);
  } else if (auto* const dict = std::get_if<pickled::Dict>(&value.any)) {
    refuse_entries(dict->entries);
    refuse_entries(dict->attributes);
  }
}

class Nesting {
 public:
  explicit Nesting(std::vector<Leaf> leaves) : leaves_(std::move(leaves)), fillers_left_(16 * leaves_.size() + 65536) {}

  // Nothing if the paths contradict each other.
  std::optional<Value> Build() {
    std::vector<std::size_t> all(leaves_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    if (all.empty()) return Value{.any = pickled::Dict{}};
    return Build(all, 0);
  }

 private:
  // Leaves whose paths agree before step `depth`.
  std::optional<Value> Build(const std::vector<std::size_t>& leaves, std::size_t depth) {
    const auto ends_here = [&](std::size_t leaf) { return leaves_[leaf].path->size() == depth; };
    if (std::ranges::any_of(leaves, ends_here)) {
      if (leaves.size() > 1) return std::nullopt;
      return std::move(leaves_[leaves.front()].value);
    }
    std::vector<std::pair<const PathStep*, std::vector<std::size_t>>> groups;  // In the order of the file.
    std::map<PathStep, std::size_t> places;
    for (const std::size_t leaf : leaves) {
      const PathStep& step = (*leaves_[leaf].path)[depth];
      const auto [place, is_new] = places.try_emplace(step, groups.size());
      if (is_new) groups.push_back({&step, {}});
      groups[place->second].second.push_back(leaf);
    }
    const bool is_list = std::holds_alternative<std::int64_t>(*groups.front().first);
    return is_list ? BuildList(groups, depth) : BuildDict(groups, depth);
  }

  template <class Groups>
  std::optional<Value> BuildDict(const Groups& groups, std::size_t depth) {
    pickled::Dict dict;
    for (const auto& [step, leaves] : groups) {
      const auto* const key = std::get_if<std::string>(step);
      auto value = key != nullptr ? Build(leaves, depth + 1) : std::nullopt;
      if (!value) return std::nullopt;
      dict.entries.push_back({{.any = *key}, *std::move(value)});
    }
    return Value{.any = std::move(dict)};
  }

  // What had no values is None, as in Python.
  template <class Groups>
  std::optional<Value> BuildList(const Groups& groups, std::size_t depth) {
    pickled::List list;
    for (const auto& [step, leaves] : groups) {
      const auto* const place = std::get_if<std::int64_t>(step);
      auto value = place != nullptr ? Build(leaves, depth + 1) : std::nullopt;
      if (!value) return std::nullopt;
      const auto index = static_cast<std::size_t>(*place);
      if (index >= list.items.size()) {
        const std::size_t more = index - list.items.size();
        if (more > fillers_left_) return std::nullopt;
        fillers_left_ -= more;
        list.items.resize(index + 1);
      }
      list.items[index] = *std::move(value);
    }
    return Value{.any = std::move(list)};
  }

  std::vector<Leaf> leaves_;
  std::size_t fillers_left_;
};

}  // namespace

// The values of this name, and those within or around it, as far as they need no read.
DistributedFiles::Values DistributedFiles::KnownValues(std::string_view name) const {
  Values values;
  for (const StoredTensor& tensor : tensors_) {
    if (IsWithinOrAround(tensor.name, name)) values.emplace(tensor.name, Value{.any = tensor.layout});
  }
  for (const RefusedValue& value : metadata_.refused) {
    if (IsWithinOrAround(value.name, name)) values.emplace(value.name, Value{.any = pickled::Refused{value.why}});
  }
  return values;
}

Result<void> DistributedFiles::AddValues(std::string_view name, Values& values) const {
  std::vector<DistributedItem> items;
  std::vector<Value*> read;
  for (const DistributedValue& value : metadata_.values) {
    if (!IsWithinOrAround(value.name, name)) continue;
    items.push_back(value.item);
    read.push_back(&values[value.name]);
  }
  return OpenArchives(files_, items, [&](std::size_t i, const TorchFile& archive) -> Result<void> {
    auto value = archive.ReadValue({});
    if (!value && value.error().code != ErrorCode::kUndecodable) return value.error();
    *read[i] = value ? *std::move(value) : Value{.any = pickled::Refused{value.error().message}};
    RefuseTensors(*read[i]);
    return {};
  });
}

std::optional<Value> DistributedFiles::Nested(Values values) const {
  std::vector<Leaf> leaves;
  const auto add = [&](const std::vector<PathStep>& path, std::string_view name) {
    if (auto found = values.extract(name)) leaves.push_back({&path, std::move(found.mapped())});
  };
  for (const DistributedPath& path : metadata_.paths) {
    const bool is_usual = path.steps.size() <= kMostLevels && Joined(path.steps) == path.name;
    if (is_usual && std::holds_alternative<std::string>(path.steps.front())) add(path.steps, path.name);
  }
  std::vector<std::vector<PathStep>> flat;  // Without a path: the name is the only key.
  flat.reserve(values.size());
  for (const auto& [name, value] : values) flat.emplace_back(1, PathStep(std::string(name)));
  for (const std::vector<PathStep>& path : flat) add(path, std::get<std::string>(path.front()));
  return Nesting(std::move(leaves)).Build();
}

Result<Value> DistributedFiles::ReadValue(std::string_view name) const {
  Values values = KnownValues(name);
  if (auto added = AddValues(name, values); !added) return added.error();
  const auto root = Nested(std::move(values));
  if (!root) return Undecodable(this->name(), "", 0, "the paths of its planner_data contradict each other");
  const Value* const value = FindByName(*root, name);
  const std::string shown(name);
  if (value == nullptr) return Error{ErrorCode::kNotFound, this->name() + ": it has no value " + Shown(shown)};
  if (const auto* const refused = value->As<pickled::Refused>()) return Contradiction(shown, refused->why);
  return *value;
}

}  // namespace gcsflux::internal
