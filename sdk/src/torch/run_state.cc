#include "torch/run_state.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text/utf8.h"
#include "formats/checkpoint_reader.h"
#include "torch/failure.h"
#include "torch/scalar_types.h"
#include "torch/tensor_bytes.h"
#include "torch/text_values.h"
#include "torch/writable.h"

namespace gcsflux {
namespace {

using pickled::Dict;
using pickled::Value;

// The names of these values in the file of a step.
constexpr const char* kGeneratorsKey = "generators";
constexpr const char* kNumbersKey = "numbers";
constexpr const char* kTextsKey = "texts";
constexpr const char* kCursorKey = "cursor";

bool IsOwn(const std::string& name) {
  return name == kGeneratorsKey || name == kNumbersKey || name == kTextsKey || name == kCursorKey;
}

StorageError StateError(ErrorCode code, const std::string& why) {
  return StorageError({.code = code, .message = "RunState: " + why});
}

StorageError StepLacks(const std::string& name) {
  return StateError(ErrorCode::kUndecodable, "the step holds no '" + name + "'; load another step, or leave it out");
}

// Slices have '.' in their names.
void CheckSliceName(const std::string& name) {
  const std::string member = name.substr(0, name.find('.'));
  if (!member.empty() && !IsOwn(member) && internal::IsUtf8(name)) return;
  throw StateError(ErrorCode::kInvalidArgument, "'" + name + "' is no name of a slice: UTF-8, and not one of its own");
}

/// Collects the dictionary that becomes the file.
class Root {
 public:
  void Put(const std::string& name, Value value) {
    const bool is_name = !name.empty() && name.find('.') == std::string::npos && internal::IsUtf8(name);
    if (!is_name) throw StateError(ErrorCode::kInvalidArgument, "'" + name + "' is no name: UTF-8, and no '.' in it");
    if (IsOwn(name) || !names_.insert(name).second) {
      throw StateError(ErrorCode::kInvalidArgument, "the name '" + name + "' is there twice, or is one of its own");
    }
    PutOwn(name, std::move(value));
  }
  void PutSlice(const std::string& name, Value value) {
    if (!names_.insert(name).second) {
      throw StateError(ErrorCode::kInvalidArgument, "the name '" + name + "' of a slice is that of a member");
    }
    PutOwn(name, std::move(value));
  }
  void PutOwn(const std::string& name, Value value) { dict_.entries.push_back({{.any = name}, std::move(value)}); }
  Value Take() { return {.any = std::move(dict_)}; }

 private:
  std::set<std::string> names_;
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

std::string Described(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.scalar_type() << " " << tensor.sizes();
  return text.str();
}

// The values of a step. It has none if ranks saved tensors only.
Dict ValuesOf(const StoredCheckpoint& checkpoint) {
  if (!checkpoint.reader().HasValues()) return {};
  Value root = ValueOrThrow(checkpoint.reader().ReadValue());
  if (root.As<Dict>() == nullptr) throw StateError(ErrorCode::kUndecodable, "the step's file holds no dict");
  return std::get<Dict>(std::move(root.any));
}

const Dict& DictIn(const Dict& root, const std::string& name) {
  static const Dict& none = *new Dict();
  const Value* const value = pickled::Find(root, name);
  return value != nullptr && value->As<Dict>() != nullptr ? *value->As<Dict>() : none;
}

void ReadPlainValues(const Dict& root, RunState& into) {
  for (const auto& [key, value] : DictIn(root, kNumbersKey).entries) {
    const auto* const number = value.As<std::int64_t>();
    if (number != nullptr && TextIn(key) != nullptr) into.numbers[*TextIn(key)] = *number;
  }
  for (const auto& [key, value] : DictIn(root, kTextsKey).entries) {
    if (TextIn(value) != nullptr && TextIn(key) != nullptr) into.texts[*TextIn(key)] = *TextIn(value);
  }
  const Value* const saved = pickled::Find(root, kCursorKey);
  if (saved != nullptr && TextIn(*saved) != nullptr) into.cursor = ValueOrThrow(ParseCursor(*TextIn(*saved)));
}

bool NamesAll(const RunState& state, const Dict& root) {
  const auto is_named = [&](const auto& entry) {
    const std::string* const name = TextIn(entry.first);
    return name == nullptr || IsOwn(*name) || state.modules.contains(*name) || state.optimizers.contains(*name) ||
           state.tensors.contains(*name) || state.slices.contains(*name);
  };
  return std::ranges::all_of(root.entries, is_named);
}

bool HoldsMember(const StoredCheckpoint& checkpoint, const Dict& root, const std::string& name) {
  if (pickled::Find(root, name) != nullptr) return true;
  const auto is_of_member = [&](const StoredTensor& tensor) { return tensor.name.starts_with(name + "."); };
  return std::ranges::any_of(checkpoint.tensors(), is_of_member);
}

// Tries a generator's state: set_state() refuses states of other kinds. Not on a clone(), which libtorch 1.13 never
// frees.
void TryState(const std::string& name, at::Generator generator, const at::Tensor& read) {
  const std::scoped_lock lock(generator.mutex());
  const at::Tensor before = generator.get_state();
  try {
    generator.set_state(read);
    generator.set_state(before);
  } catch (const std::exception& failure) {
    generator.set_state(before);
    throw StateError(ErrorCode::kUndecodable,
                     "the step's state of the generator '" + name + "' is of another kind: " + FirstLine(failure));
  }
}

at::Tensor EmptyFor(const StoredTensor& stored) {
  const c10::InferenceMode is_for_training(false);
  const auto type = ScalarTypeOf(stored.layout.dtype);
  if (type) return at::empty(stored.layout.shape, *type);
  throw StateError(ErrorCode::kUndecodable, "tensor '" + stored.name + "' is of a type that libtorch lacks");
}

// Refuses what cannot be loaded into a tensor.
void CheckTarget(const std::string& place, const at::Tensor& into) {
  if (!HasElements(into)) throw StateError(ErrorCode::kInvalidArgument, place + " has no memory to load into");
  if (const auto why = WhyNotWritable(into)) throw StateError(ErrorCode::kInvalidArgument, place + " " + *why);
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
  for (const auto& [name, slice] : state.slices) {
    CheckSliceName(name);
    root.PutSlice(name, writer.OfTensor(slice.local));
  }
  return std::move(writer).Gather(root.Take());
}

internal::StateContents ContentsOf(const GatheredState& gathered) {
  internal::StateContents contents{.root = gathered.root};
  for (const at::Tensor& tensor : gathered.storages) {
    contents.storages.emplace_back(static_cast<const std::byte*>(tensor.storage().data()), tensor.storage().nbytes());
  }
  return contents;
}

std::string GeneratorName(const std::string& name, int rank) {
  const std::string first = std::string(kGeneratorsKey) + "." + name;
  return rank == 0 ? first : first + "." + std::to_string(rank);
}

TensorPart PartOf(const std::string& name, const ShardedTensor& slice) {
  const auto dtype = HasElements(slice.local) ? DTypeOf(slice.local.scalar_type()) : std::nullopt;
  if (!dtype) throw StateError(ErrorCode::kInvalidArgument, "slice '" + name + "' is not a dense tensor");
  TensorPart part{.name = name, .dtype = *dtype, .shape = slice.local.sizes().vec()};
  if (slice.shape.empty() && slice.offsets.empty()) return part;
  part.sizes = std::exchange(part.shape, slice.shape);
  part.offsets = slice.offsets;
  return part;
}

StateLoad::StateLoad(const StoredCheckpoint& checkpoint, RunState& state, LoadMode mode, int rank)
    : state_(state), reads_(mode) {
  CheckMembers(state);
  const Dict root = ValuesOf(checkpoint);
  ReadPlainValues(root, values_);
  is_whole_ = NamesAll(state, root);
  const auto require = [&](const std::string& name) {
    if (!HoldsMember(checkpoint, root, name)) throw StepLacks(name);
  };
  for (const auto& [name, module] : state.modules) {
    require(name);
    AddModule(reads_, *module, checkpoint, {.prefix = name + "."});
  }
  for (auto& [name, given] : state.tensors) {
    require(name);
    AddTensors(checkpoint, root, name, given);
  }
  for (const auto& [name, generator] : state.generators) AddGenerator(checkpoint, name, generator, rank);
  for (const auto& [name, slice] : state.slices) AddSlice(name, slice);
  // Last: with kInPlace, an optimizer drops its state when it has been compared.
  for (const auto& [name, optimizer] : state.optimizers) {
    if (pickled::Find(root, name) == nullptr) throw StepLacks(name);
    AddOptimizer(reads_, *optimizer, checkpoint, name);
  }
}

// Reads into the given tensors, by name. An undefined tensor becomes the one that is read. If no tensor is given, the
// list becomes all that the step has.
void StateLoad::AddTensors(const StoredCheckpoint& checkpoint, const Dict& root, const std::string& member,
                           NamedTensors& given) {
  const std::string prefix = member + ".";
  if (given.empty()) {
    NamedTensors all;
    for (const auto& [key, value] : DictIn(root, member).entries) {  // In the order of the save.
      if (TextIn(key) == nullptr || value.As<TensorLayout>() == nullptr) continue;
      const StoredTensor stored = ValueOrThrow(checkpoint.Find(prefix + *TextIn(key)));
      all.emplace_back(*TextIn(key), EmptyFor(stored));
      reads_.Read(stored, all.back().second);
    }
    reads_.Change([&given, all = std::move(all)]() mutable { given.swap(all); });
    return;
  }
  for (auto& [name, into] : given) {
    const std::string place = "tensor '" + prefix + name + "'";
    auto found = checkpoint.Find(prefix + name);
    if (!found && found.error().code == ErrorCode::kNotFound) throw StepLacks(prefix + name);
    const StoredTensor stored = ValueOrThrow(std::move(found));
    at::Tensor read = EmptyFor(stored);
    if (!into.defined()) {
      reads_.Read(stored, read);
      reads_.Change([&into = into, read] { into = read; });
      continue;
    }
    if (into.sizes() != read.sizes() || into.scalar_type() != read.scalar_type()) {
      throw StateError(ErrorCode::kUndecodable,
                       place + " is " + Described(read) + " in the step, and " + Described(into) + " here");
    }
    CheckTarget(place, into);
    if (reads_.mode() == LoadMode::kInPlace && IsPlain(into)) {
      reads_.Read(stored, into);
    } else {
      reads_.Read(stored, read);
      reads_.Change([into = into, read] { into.detach().copy_(read); });
    }
  }
}

void StateLoad::AddGenerator(const StoredCheckpoint& checkpoint, const std::string& name, at::Generator generator,
                             int rank) {
  auto found = checkpoint.Find(GeneratorName(name, rank));
  if (!found && found.error().code == ErrorCode::kNotFound) {
    const std::string first = GeneratorName(name, 0);
    if (rank > 0 && checkpoint.Find(first)) return;  // Fewer ranks saved the step.
    throw StepLacks(first);
  }
  const StoredTensor stored = ValueOrThrow(std::move(found));
  const at::Tensor read = EmptyFor(stored);
  reads_.Read(stored, read);
  reads_.Check([name, generator, read] { TryState(name, generator, read); });
  reads_.Change([generator, read]() mutable {
    const std::scoped_lock lock(generator.mutex());
    generator.set_state(read);
  });
}

void StateLoad::AddSlice(const std::string& name, const ShardedTensor& slice) {
  CheckSliceName(name);
  TensorPart part = PartOf(name, slice);
  CheckTarget("slice '" + name + "'", slice.local);
  at::Tensor into = slice.local;
  if (reads_.mode() != LoadMode::kInPlace || !IsPlain(into)) {
    into = at::empty(slice.local.sizes(), slice.local.scalar_type());
    reads_.Change([into, local = slice.local] { local.detach().copy_(into); });
  }
  slices_.push_back({std::move(part), BytesOf(into)});
  slice_memory_.push_back(std::move(into));
}

void StateLoad::Change() {
  reads_.RunChanges();
  state_.numbers = std::move(values_.numbers);
  state_.texts = std::move(values_.texts);
  state_.cursor = std::move(values_.cursor);
}

}  // namespace gcsflux
