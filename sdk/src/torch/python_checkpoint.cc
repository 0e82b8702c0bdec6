#include "torch/python_checkpoint.h"

#include <functional>
#include <utility>

#include "torch/staged_state.h"
#include "torch/text_values.h"

namespace gcsflux {
namespace {

using pickled::Dict;
using pickled::Value;

constexpr const char* kModel = "model";
constexpr const char* kOptimizer = "optimizer";
constexpr const char* kNumbers = "numbers";
constexpr const char* kTexts = "texts";

StorageError Lacks(const char* key) {
  return StorageError({.code = ErrorCode::kUndecodable,
                       .message = std::string("it holds no ") + key + "; was it written by SaveCheckpoint with one?"});
}

void Put(Dict& dict, std::string key, Value value) {
  dict.entries.push_back({{.any = std::move(key)}, std::move(value)});
}

// Numbers and texts. SaveCheckpoint() puts them into separate dictionaries; users of Python put them beside the model.
struct Others {
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::string> texts;

  void Take(const Dict& dict) {
    for (const auto& [key, value] : dict.entries) {
      const std::string* const name = TextIn(key);
      if (name == nullptr) continue;
      if (const auto* const number = value.As<std::int64_t>()) numbers[*name] = *number;
      if (const std::string* const text = TextIn(value)) texts[*name] = *text;
    }
  }
};

}  // namespace

void WritePythonCheckpoint(const TrainingState& state, const ByteSink& sink) {
  StateDictWriter writer;
  Dict root;
  Put(root, kModel, writer.OfModule(*state.module));
  if (state.optimizer != nullptr) Put(root, kOptimizer, writer.OfOptimizer(*state.optimizer));
  Dict numbers;
  for (const auto& [name, number] : state.numbers) numbers.entries.push_back({TextOrBytes(name), {.any = number}});
  Dict texts;
  for (const auto& [name, text] : state.texts) texts.entries.push_back({TextOrBytes(name), TextOrBytes(text)});
  Put(root, kNumbers, {.any = std::move(numbers)});
  Put(root, kTexts, {.any = std::move(texts)});
  std::move(writer).Write({.any = std::move(root)}, sink);
}

void LoadPythonCheckpoint(const StoredCheckpoint& checkpoint, TrainingState& state,
                          const std::function<void()>& verify) {
  const Value root = ValueOrThrow(checkpoint.torch_file()->ReadValue());
  const auto* const dict = root.As<Dict>();
  if (dict == nullptr || pickled::Find(*dict, kModel) == nullptr) throw Lacks(kModel);
  if (state.optimizer != nullptr && pickled::Find(*dict, kOptimizer) == nullptr) throw Lacks(kOptimizer);
  Others others;
  const Value* const numbers = pickled::Find(*dict, kNumbers);
  const Value* const texts = pickled::Find(*dict, kTexts);
  if (numbers == nullptr && texts == nullptr) others.Take(*dict);
  for (const Value* const value : {numbers, texts}) {
    if (value != nullptr && value->As<Dict>() != nullptr) others.Take(*value->As<Dict>());
  }
  const auto set_module = StageModule(*state.module, checkpoint, {.prefix = std::string(kModel) + "."});
  const std::function<void()> set_optimizer =
      state.optimizer == nullptr ? [] {} : StageOptimizer(*state.optimizer, checkpoint, kOptimizer);
  verify();
  set_module();
  set_optimizer();
  state.numbers = std::move(others.numbers);
  state.texts = std::move(others.texts);
}

}  // namespace gcsflux
