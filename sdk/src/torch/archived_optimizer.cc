#include "torch/archived_optimizer.h"

#include <map>
#include <string>
#include <utility>

#include "formats/checkpoint_reader.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {
namespace {

using pickled::Dict;
using pickled::Value;

void Put(Dict& dict, Value key, Value value) { dict.entries.emplace_back(std::move(key), std::move(value)); }

const Dict* FindDict(const Dict& dict, const std::string& name) {
  const Value* const found = pickled::Find(dict, name);
  return found == nullptr ? nullptr : found->As<Dict>();
}

/// Numbers parameters in the order of the groups, as Python does.
class ArchivedOptimizer {
 public:
  explicit ArchivedOptimizer(const Dict& archive) : groups_(FindDict(archive, "param_groups")) {
    const Dict* const states = FindDict(archive, "state");
    if (states == nullptr) return;
    for (const auto& [key, state] : states->entries) {
      if (const auto* const address = key.As<std::string>()) states_.emplace(*address, &state);
    }
  }

  Value InPythonsForm() {
    pickled::List groups;
    for (std::size_t i = 0; groups_ != nullptr; ++i) {
      const Dict* const group = FindDict(*groups_, "param_groups/" + std::to_string(i));
      if (group == nullptr) break;
      groups.items.push_back(Group(*group));
    }
    Dict optimizer;
    Put(optimizer, {.any = std::string("state")}, {.any = std::move(numbered_)});
    Put(optimizer, {.any = std::string("param_groups")}, {.any = std::move(groups)});
    return {.any = std::move(optimizer)};
  }

 private:
  Value Group(const Dict& archived) {
    const Dict* const options = FindDict(archived, "options");
    Dict group = options == nullptr ? Dict() : *options;
    pickled::List parameters;
    for (std::size_t i = 0;; ++i) {
      const Value* const address = pickled::Find(archived, "params/" + std::to_string(i));
      if (address == nullptr) break;
      parameters.items.push_back({.any = next_});
      const auto* const text = address->As<std::string>();
      const auto found = text == nullptr ? states_.end() : states_.find(*text);
      if (found != states_.end()) Put(numbered_, {.any = next_}, *found->second);
      ++next_;
    }
    Put(group, {.any = std::string("params")}, {.any = std::move(parameters)});
    return {.any = std::move(group)};
  }

  const Dict* const groups_;
  std::map<std::string, const Value*> states_;
  Dict numbered_;
  std::int64_t next_ = 0;
};

}  // namespace

Value ReadOptimizerValue(const StoredCheckpoint& checkpoint, std::string_view name) {
  auto saved = checkpoint.reader().ReadValue(name);
  if (checkpoint.format() != CheckpointFormat::kLibtorchArchive) return ValueOrThrow(std::move(saved));
  if (!saved && saved.error().code == ErrorCode::kNotFound) {
    auto whole = checkpoint.reader().ReadValue();
    const auto* const root = whole ? whole->As<Dict>() : nullptr;
    if (root != nullptr && FindDict(*root, "param_groups") != nullptr) saved = std::move(whole);
  }
  const Value value = ValueOrThrow(std::move(saved));
  const auto* const archive = value.As<Dict>();
  return archive == nullptr ? value : ArchivedOptimizer(*archive).InPythonsForm();
}

}  // namespace gcsflux
