#include "torch/run_state.h"

#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/utf8.h"
#include "torch/first_line.h"
#include "torch/plain_values.h"
#include "torch/staged_state.h"
#include "torch/tensor_bytes.h"
#include "torch/text_values.h"
#include "torch/writable.h"

namespace gcsflux {
namespace {

using pickled::Dict;
using pickled::Value;

// The name of the generators in the file; plain_values.h has those of the other values.
constexpr const char* kGeneratorsKey = "generators";

StorageError StateError(ErrorCode code, const std::string& why) {
  return StorageError({.code = code, .message = "RunState: " + why});
}

StorageError StepLacks(const std::string& name) {
  return StateError(ErrorCode::kUndecodable, "the step holds no '" + name + "'; load another step, or leave it out");
}

/// Collects the dictionary that becomes the file.
class Root {
 public:
  void Put(const std::string& name, Value value) {
    const bool is_name = !name.empty() && name.find('.') == std::string::npos && internal::IsUtf8(name);
    if (!is_name) throw StateError(ErrorCode::kInvalidArgument, "'" + name + "' is no name: UTF-8, and no '.' in it");
    if (!names_.insert(name).second) {
      throw StateError(ErrorCode::kInvalidArgument, "the name '" + name + "' is there twice, or is one of its own");
    }
    PutOwn(name, std::move(value));
  }
  void PutOwn(const std::string& name, Value value) { dict_.entries.push_back({{.any = name}, std::move(value)}); }
  Value Take() { return {.any = std::move(dict_)}; }

 private:
  std::set<std::string> names_ = {kGeneratorsKey, kNumbersKey, kTextsKey, kCursorKey};
  Dict dict_;
};

template <class Map, class ValueOf>
void PutMap(Root& root, const char* name, const Map& map, const ValueOf& value_of) {
  if (map.empty()) return;
  Dict dict;
  for (const auto& [key, value] : map) dict.entries.push_back({TextOrBytes(key), value_of(value)});
  root.PutOwn(name, {.any = std::move(dict)});
}

at::Tensor StateOf(at::Generator generator) {
  const std::scoped_lock lock(generator.mutex());
  return generator.get_state();
}

// Reads a generator's state, and tries it: set_state() refuses states of other kinds. Not on a clone(), which libtorch
// 1.13 never frees.
at::Tensor ReadStateOf(const std::pair<const std::string, at::Generator>& entry, const StoredCheckpoint& checkpoint) {
  const std::string name = std::string(kGeneratorsKey) + "." + entry.first;
  if (const auto found = checkpoint.Find(name); !found && found.error().code == ErrorCode::kNotFound) {
    throw StepLacks(name);
  }
  at::Tensor read = ReadTensor(checkpoint, name);
  at::Generator generator = entry.second;
  const std::scoped_lock lock(generator.mutex());
  const at::Tensor before = generator.get_state();
  try {
    generator.set_state(read);
    generator.set_state(before);
  } catch (const std::exception& failure) {
    generator.set_state(before);
    throw StateError(ErrorCode::kUndecodable, "the step's state of the generator '" + entry.first +
                                                  "' is of another kind: " + FirstLine(failure));
  }
  return read;
}

bool NamesAll(const RunState& state, const Dict& root) {
  for (const auto& [key, value] : root.entries) {
    const std::string* const name = TextIn(key);
    if (name == nullptr || *name == kNumbersKey || *name == kTextsKey || *name == kCursorKey || *name == kGeneratorsKey)
      continue;
    if (!state.modules.contains(*name) && !state.optimizers.contains(*name) && !state.tensors.contains(*name)) {
      return false;
    }
  }
  return true;
}

// A null pointer would end the process.
void CheckMembers(const RunState& state) {
  const auto check = [](bool is_there, const char* what, const std::string& name) {
    if (!is_there)
      throw StateError(ErrorCode::kInvalidArgument, std::string("the ") + what + " '" + name + "' is null");
  };
  for (const auto& [name, module] : state.modules) check(module != nullptr, "module", name);
  for (const auto& [name, optimizer] : state.optimizers) check(optimizer != nullptr, "optimizer", name);
  for (const auto& [name, generator] : state.generators) check(generator.defined(), "generator", name);
}

// Returns the tensors by their own names, without `name` before them, in the order in which they were saved.
NamedTensors TensorsUnder(const StoredCheckpoint& checkpoint, const std::string& name, const Dict& root) {
  const std::string prefix = name + ".";
  std::map<std::string, at::Tensor> read;
  for (auto& [whole_name, tensor] : ReadTensors(checkpoint, prefix)) read[whole_name.substr(prefix.size())] = tensor;
  NamedTensors tensors;
  const Value* const saved = pickled::Find(root, name);
  if (saved == nullptr || saved->As<Dict>() == nullptr) return tensors;
  for (const auto& [key, value] : saved->As<Dict>()->entries) {
    const auto found = TextIn(key) == nullptr ? read.end() : read.find(*TextIn(key));
    if (found != read.end()) tensors.emplace_back(*found);
  }
  return tensors;
}

std::string Described(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.scalar_type() << " " << tensor.sizes();
  return text.str();
}

// Copies what was read into the given tensors, by name. An undefined tensor becomes the one that was read. If no tensor
// is given, the list becomes all that was read.
std::function<void()> StageTensors(const std::string& member, NamedTensors& given, NamedTensors read) {
  if (given.empty()) return [&given, read = std::move(read)]() mutable { given.swap(read); };
  const std::map<std::string, at::Tensor> by_name(read.begin(), read.end());
  std::vector<std::pair<at::Tensor*, at::Tensor>> copies;
  for (auto& [name, into] : given) {
    const std::string place = "tensor '" + member + "." + name + "'";
    const auto found = by_name.find(name);
    if (found == by_name.end()) throw StepLacks(member + "." + name);
    copies.emplace_back(&into, found->second);
    if (!into.defined()) continue;
    if (!HasElements(into)) throw StateError(ErrorCode::kInvalidArgument, place + " has no memory to load into");
    if (into.sizes() != found->second.sizes() || into.scalar_type() != found->second.scalar_type()) {
      throw StateError(ErrorCode::kUndecodable,
                       place + " is " + Described(found->second) + " in the step, and " + Described(into) + " here");
    }
    if (const auto why = WhyNotWritable(into)) throw StateError(ErrorCode::kInvalidArgument, place + " " + *why);
  }
  return [copies = std::move(copies)] {
    for (const auto& [into, from] : copies) {
      if (into->defined())
        into->detach().copy_(from);
      else
        *into = from;
    }
  };
}

}  // namespace

GatheredState GatherState(const RunState& state) {
  CheckMembers(state);
  StateDictWriter writer;
  Root root;
  for (const auto& [name, module] : state.modules) root.Put(name, writer.OfModule(*module));
  for (const auto& [name, optimizer] : state.optimizers) root.Put(name, writer.OfOptimizer(*optimizer));
  for (const auto& [name, tensors] : state.tensors) root.Put(name, writer.OfTensors(tensors));
  PutMap(root, kGeneratorsKey, state.generators,
         [&](const at::Generator& generator) { return writer.OfTensor(StateOf(generator)); });
  PutMap(root, kNumbersKey, state.numbers, [](std::int64_t number) { return Value{.any = number}; });
  PutMap(root, kTextsKey, state.texts, TextOrBytes);
  if (state.cursor) root.PutOwn(kCursorKey, {.any = FormatCursor(*state.cursor)});
  return std::move(writer).Gather(root.Take());
}

internal::StateContents ContentsOf(const GatheredState& gathered) {
  internal::StateContents contents{.root = gathered.root};
  for (const at::Tensor& tensor : gathered.storages) {
    contents.storages.emplace_back(static_cast<const std::byte*>(tensor.storage().data()), tensor.storage().nbytes());
  }
  return contents;
}

void LoadState(const StoredCheckpoint& checkpoint, RunState& state, const std::function<void()>& verify) {
  CheckMembers(state);
  const Value root = ValueOrThrow(checkpoint.ReadValue());
  if (root.As<Dict>() == nullptr) throw StateError(ErrorCode::kUndecodable, "the step's file holds no dict");
  const auto require = [&](const std::string& name) {
    if (pickled::Find(*root.As<Dict>(), name) == nullptr) throw StepLacks(name);
  };
  PlainValues plain = PlainValuesIn(*root.As<Dict>());
  std::vector<std::function<void()>> changes;
  for (const auto& [name, module] : state.modules) {
    require(name);
    changes.push_back(StageModule(*module, checkpoint, {.prefix = name + "."}));
  }
  for (const auto& [name, optimizer] : state.optimizers) {
    require(name);
    changes.push_back(StageOptimizer(*optimizer, checkpoint, name));
  }
  for (auto& entry : state.tensors) {
    require(entry.first);
    NamedTensors read = TensorsUnder(checkpoint, entry.first, *root.As<Dict>());
    changes.push_back(StageTensors(entry.first, entry.second, std::move(read)));
  }
  for (auto& entry : state.generators) {
    changes.push_back([&entry, read = ReadStateOf(entry, checkpoint)] {
      const std::scoped_lock lock(entry.second.mutex());
      entry.second.set_state(read);
    });
  }
  if (NamesAll(state, *root.As<Dict>())) verify();
  for (const auto& change : changes) change();
  state.numbers = std::move(plain.numbers);
  state.texts = std::move(plain.texts);
  state.cursor = std::move(plain.cursor);
}

}  // namespace gcsflux
