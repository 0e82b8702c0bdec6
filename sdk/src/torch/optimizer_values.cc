#include <c10/core/InferenceMode.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "formats/checkpoint_reader.h"
#include "gcsflux/torch/state_dict.h"
#include "torch/archived_optimizer.h"
#include "torch/failure.h"
#include "torch/libtorch_api.h"
#include "torch/optimizer_fields.h"
#include "torch/pending_reads.h"
#include "torch/scalar_types.h"
#include "torch/state_dict_writer.h"

// Optimizers in the form of Python's state_dict(): {"state": {0: {...}}, "param_groups": [{"lr": ..., "params": [0]}]}
namespace gcsflux {
namespace {

using pickled::Dict;
using pickled::Value;
using torch::optim::Optimizer;

StorageError Different(const std::string& why) {
  return Failure(ErrorCode::kUndecodable, "it is not a checkpoint of this optimizer: " + why);
}
StorageError OtherOptimizer() {
  return Failure(ErrorCode::kInvalidArgument, "only Adam, AdamW, SGD, RMSprop and Adagrad are read and written");
}

// --------------------------------------------------------------------------------------------------------- reading

const Dict& DictOf(const Value* value, const std::string& what) {
  const auto* const dict = value == nullptr ? nullptr : value->As<Dict>();
  if (dict == nullptr) throw Different("it has no dictionary " + what);
  return *dict;
}

bool IsComplex(DType dtype) {
  return dtype == DType::kComplex32 || dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

const std::vector<Value>& ItemsOf(const Value* value, const std::string& what) {
  const auto* const list = value == nullptr ? nullptr : value->As<pickled::List>();
  if (list == nullptr) throw Different("it has no list " + what);
  return list->items;
}

// Reads the tensor of an option or a state into new memory.
at::Tensor Add(PendingReads& reads, const TensorLayout& layout, const char* name) {
  const c10::InferenceMode is_for_training(false);  // Tensors of InferenceMode cannot be stepped.
  const auto type = ScalarTypeOf(layout.dtype);
  if (!type) throw Different(std::string(name) + " has a type that libtorch lacks");
  at::Tensor tensor = at::empty(layout.shape, *type);
  reads.Read({.name = name, .layout = layout}, tensor);
  return tensor;
}

// A number of Python: 0 and 0.0 are the same.
std::optional<double> NumberIn(const Value& value) {
  if (const auto* const number = value.As<double>()) return *number;
  if (const auto* const whole = value.As<std::int64_t>()) return static_cast<double>(*whole);
  return std::nullopt;
}

// libtorch's optimizers can only minimize.
void RefuseMaximize(const Dict& group) {
  const Value* const found = pickled::Find(group, "maximize");
  const auto* const is_set = found == nullptr ? nullptr : found->As<bool>();
  if (is_set != nullptr && *is_set) throw Different("maximize is set there, which libtorch's optimizers do not have");
}

// Sets the visited members from the dictionary. Missing options keep their values; a state must be complete.
class Reader {
 public:
  Reader(PendingReads& reads, const Dict& dict, const at::Tensor* parameter)
      : reads_(reads), dict_(dict), parameter_(parameter) {}

  void operator()(const char* name, double& value) const {
    const Value* const found = Find(name);
    if (found == nullptr) return;
    if (const auto number = NumberIn(*found)) {
      value = *number;
    } else {
      ReadScalar(*found, name, [&value](double read) { value = read; });
    }
  }
  void operator()(const char* name, bool& value) const {
    const Value* const found = Find(name);
    if (found == nullptr) return;
    const auto* const flag = found->As<bool>();
    if (flag == nullptr) throw Different(std::string(name) + " is neither True nor False");
    value = *flag;
  }
  void operator()(const char* name, std::tuple<double, double>& value) const {
    const Value* const found = Find(name);
    if (found == nullptr) return;
    const auto* const tuple = found->As<pickled::Tuple>();
    const auto* const list = found->As<pickled::List>();
    const std::vector<Value>* const items = tuple != nullptr ? &tuple->items : list != nullptr ? &list->items : nullptr;
    const bool is_pair = items != nullptr && items->size() == 2;
    const auto first = is_pair ? NumberIn((*items)[0]) : std::nullopt;
    const auto second = is_pair ? NumberIn((*items)[1]) : std::nullopt;
    if (!first || !second) throw Different(std::string(name) + " are not two numbers");
    value = {*first, *second};
  }
  // Before PyTorch 1.12 a number, since then a tensor with one element.
  void operator()(const char* name, std::int64_t& value) const {
    const Value* const found = Find(name);
    const auto* const whole = found->As<std::int64_t>();
    if (whole != nullptr) {
      value = *whole;
    } else {
      ReadScalar(*found, name, [&value, name](double read) {
        constexpr double kLimit = 0x1p63;
        if (!(read >= -kLimit && read < kLimit)) throw Different(std::string(name) + " is not a whole number");
        value = static_cast<std::int64_t>(read);
      });
    }
  }
  void operator()(const char* name, at::Tensor& tensor) const { tensor = ReadState(*Find(name), name); }
  void operator()(const char* name, Maybe maybe) const {
    const Value* const found = pickled::Find(dict_, name);
    const bool is_there = found != nullptr && found->As<std::monostate>() == nullptr;
    if (is_there) maybe.tensor = ReadState(*found, name);
  }

 private:
  const Value* Find(const char* name) const {
    const Value* const found = pickled::Find(dict_, name);
    if (found == nullptr && parameter_ != nullptr) throw Different("a parameter's state has no " + std::string(name));
    return found;
  }

  // `set` is called when the value is read.
  template <class Set>
  void ReadScalar(const Value& value, const char* name, Set set) const {
    const auto* const layout = value.As<TensorLayout>();
    const bool is_number = layout != nullptr && ElementCount(layout->shape) == 1 && !IsComplex(layout->dtype);
    if (!is_number) throw Different(std::string(name) + " is not a number");
    reads_.Check([tensor = Add(reads_, *layout, name), set] { set(tensor.template item<double>()); });
  }

  at::Tensor ReadState(const Value& value, const char* name) const {
    const auto* const layout = value.As<TensorLayout>();
    if (layout == nullptr) throw Different(std::string(name) + " is not a tensor");
    if (layout->shape == parameter_->sizes()) return Add(reads_, *layout, name);
    std::ostringstream text;
    text << name << " is of " << at::IntArrayRef(layout->shape) << " for a parameter of " << parameter_->sizes();
    throw Different(text.str());
  }

  PendingReads& reads_;
  const Dict& dict_;
  const at::Tensor* parameter_;  // Null for options.
};

// A parameter's number. Distributed checkpoints have it as a text, or the parameter's name.
std::optional<std::string> KeyOf(const Value& value) {
  if (const auto* const text = value.As<std::string>()) return *text;
  if (const auto* const number = value.As<std::int64_t>()) return std::to_string(*number);
  return std::nullopt;
}

// The states of parameters. A distributed checkpoint has no empty dictionary.
const pickled::Entries& StatesIn(const Dict& dict, CheckpointFormat format) {
  static const auto& none = *new pickled::Entries();
  const Value* const states = pickled::Find(dict, "state");
  if (states == nullptr && format == CheckpointFormat::kDistributed) return none;
  return DictOf(states, "state").entries;
}

// All that is read, before anything of the optimizer changes.
struct ReadOptimizer {
  std::vector<std::unique_ptr<torch::optim::OptimizerOptions>> options;
  OptimizerStates states;
};

template <class Options, class State>
void ReadGroup(const Dict& group, const std::map<std::string, const Dict*>& states,
               const torch::optim::OptimizerParamGroup& wanted, ReadOptimizer& read, PendingReads& reads) {
  if (pickled::Find(group, OwnOption(static_cast<const Options&>(wanted.options()))) == nullptr) {
    throw Different("it holds the state of another kind of optimizer");
  }
  RefuseMaximize(group);
  auto options = std::make_unique<Options>(static_cast<const Options&>(wanted.options()));
  const Reader read_options(reads, group, nullptr);
  Visit(read_options, *options);
  read.options.push_back(std::move(options));
  const std::vector<Value>& parameters = ItemsOf(pickled::Find(group, "params"), "params");
  if (parameters.size() != wanted.params().size()) {
    throw Different("a group has " + std::to_string(parameters.size()) + " parameters there, and " +
                    std::to_string(wanted.params().size()) + " here");
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto key = KeyOf(parameters[i]);
    const auto found = key ? states.find(*key) : states.end();
    if (found == states.end() || found->second->entries.empty()) continue;  // A parameter that never had a gradient.
    auto state = std::make_unique<State>();
    const Reader read_state(reads, *found->second, &wanted.params()[i]);
    Visit(read_state, *state);
    if constexpr (std::is_same_v<State, torch::optim::SGDParamState>) {
      if (!state->momentum_buffer().defined()) continue;
    }
    read.states[StateKeyOf(wanted.params()[i])] = std::move(state);
  }
}

// --------------------------------------------------------------------------------------------------------- writing

class Writer {
 public:
  explicit Writer(StateDictWriter& writer) : writer_(writer) {}

  template <class Plain>
  void operator()(const char* name, Plain value) {
    Put(name, {.any = value});
  }
  void operator()(const char* name, const std::tuple<double, double>& value) {
    Put(name, {.any = pickled::Tuple{{{.any = std::get<0>(value)}, {.any = std::get<1>(value)}}}});
  }
  void operator()(const char* name, const at::Tensor& tensor) { Put(name, writer_.OfTensor(tensor)); }
  void operator()(const char* name, at::Tensor& tensor) { Put(name, writer_.OfTensor(tensor)); }
  void operator()(const char* name, Maybe maybe) {
    if (maybe.tensor.defined()) Put(name, writer_.OfTensor(maybe.tensor));
  }
  void Put(std::string name, Value value) { dict_.entries.push_back({{.any = std::move(name)}, std::move(value)}); }

  Value Take() { return {.any = std::move(dict_)}; }

 private:
  StateDictWriter& writer_;
  Dict dict_;
};

}  // namespace

void AddOptimizer(PendingReads& reads, Optimizer& optimizer, const StoredCheckpoint& checkpoint,
                  std::string_view name) {
  if (!WithKind(optimizer, [](const auto&, const auto&) {})) throw OtherOptimizer();
  if (!checkpoint.reader().HasValues()) throw Different("files of safetensors hold tensors only");
  const Value saved = ReadOptimizerValue(checkpoint, name);
  const Dict& dict = DictOf(&saved, std::string(name));
  const std::vector<Value>& groups = ItemsOf(pickled::Find(dict, "param_groups"), "param_groups");
  std::map<std::string, const Dict*> states;
  for (const auto& [key, state] : StatesIn(dict, checkpoint.format())) {
    if (const auto text = KeyOf(key)) states.emplace(*text, &DictOf(&state, "of a parameter"));
  }
  if (groups.size() != optimizer.param_groups().size()) {
    throw Different("it has " + std::to_string(groups.size()) + " parameter groups there, and " +
                    std::to_string(optimizer.param_groups().size()) + " here");
  }
  const auto read = std::make_shared<ReadOptimizer>();
  WithKind(optimizer, [&]<class Options, class State>(const Options&, const State&) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      ReadGroup<Options, State>(DictOf(&groups[i], "of a parameter group"), states, optimizer.param_groups()[i], *read,
                                reads);
    }
  });
  if (reads.mode() == LoadMode::kInPlace) optimizer.state().clear();
  reads.Change([read, &optimizer] {
    for (std::size_t i = 0; i < read->options.size(); ++i) {
      optimizer.param_groups()[i].set_options(std::move(read->options[i]));
    }
    optimizer.state() = std::move(read->states);
  });
}

void LoadOptimizer(Optimizer& optimizer, const StoredCheckpoint& checkpoint, std::string_view name) {
  try {
    PendingReads reads(LoadMode::kAllOrNothing);
    AddOptimizer(reads, optimizer, checkpoint, name);
    ValueOrThrow(checkpoint.ReadTensors(reads.reads()));
    reads.RunChecks();
    reads.RunChanges();
  } catch (const StorageError& failure) {
    Error error = failure.error();
    if (!error.message.starts_with(checkpoint.name())) error.message = checkpoint.name() + ": " + error.message;
    throw StorageError(std::move(error));
  }
}

Value StateDictWriter::OfOptimizer(const Optimizer& optimizer) {
  Dict states;
  pickled::List groups;
  std::int64_t number = 0;
  const bool is_known = WithKind(optimizer, [&]<class Options, class State>(const Options&, const State&) {
    for (const auto& group : optimizer.param_groups()) {
      Writer options(*this);
      Options copy = static_cast<const Options&>(group.options());
      Visit(options, copy);
      pickled::List parameters;
      for (const at::Tensor& parameter : group.params()) {
        parameters.items.push_back({.any = number});
        const auto found = optimizer.state().find(StateKeyOf(parameter));
        if (found != optimizer.state().end()) {
          Writer state(*this);
          State fields = static_cast<const State&>(*found->second);
          Visit(state, fields);
          states.entries.push_back({{.any = number}, state.Take()});
        }
        ++number;
      }
      options.Put("params", {.any = std::move(parameters)});
      groups.items.push_back(options.Take());
    }
  });
  if (!is_known) throw OtherOptimizer();
  return {.any = Dict{.entries = {{{.any = std::string("state")}, {.any = std::move(states)}},
                                  {{.any = std::string("param_groups")}, {.any = std::move(groups)}}}}};
}

}  // namespace gcsflux
