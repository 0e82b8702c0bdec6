#include "gcsflux/torch/checkpoint.h"

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

#include <optional>
#include <string>

#include "gcsflux/torch/archive.h"
#include "torch/module_match.h"
#include "torch/optimizer_state.h"

namespace gcsflux {
namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

constexpr const char* kModule = "module";
constexpr const char* kOptimizer = "optimizer";
constexpr const char* kNumbers = "numbers";
constexpr const char* kTexts = "texts";

void RequireModule(const TrainingState& state, const ObjectName& object) {
  if (state.module != nullptr) return;
  throw StorageError({.code = ErrorCode::kInvalidArgument,
                      .message = "Checkpoint " + ToUri(object) + ": TrainingState::module is not set"});
}

StorageError Undecodable(const ObjectName& object, const std::string& why) {
  return StorageError({.code = ErrorCode::kUndecodable, .message = "LoadCheckpoint " + ToUri(object) + ": " + why});
}

template <class Savable>
void WriteNested(OutputArchive& archive, const char* key, const Savable& savable) {
  OutputArchive nested(archive.compilation_unit());
  savable.save(nested);
  archive.write(key, nested);
}

InputArchive ReadNested(InputArchive& archive, const char* key, const ObjectName& object) {
  InputArchive nested;
  if (archive.try_read(key, nested)) return nested;
  throw Undecodable(object, std::string("it holds no ") + key + "; was it written by SaveCheckpoint with one?");
}

// One dictionary and not an attribute each: an attribute's name would have to be an identifier of TorchScript.
template <class Value>
void WriteMap(OutputArchive& archive, const char* key, const std::map<std::string, Value>& map) {
  c10::Dict<std::string, Value> dictionary;
  for (const auto& [name, value] : map) dictionary.insert(name, value);
  archive.write(key, c10::IValue(dictionary));
}

std::map<std::string, std::int64_t> ReadNumbers(InputArchive& archive) {
  c10::IValue dictionary;
  archive.read(kNumbers, dictionary);
  std::map<std::string, std::int64_t> numbers;
  for (const auto& entry : dictionary.toGenericDict()) {
    numbers.emplace(entry.key().toStringRef(), entry.value().toInt());
  }
  return numbers;
}

// Checkpoints of earlier versions have none.
std::map<std::string, std::string> ReadTexts(InputArchive& archive) {
  c10::IValue dictionary;
  std::map<std::string, std::string> texts;
  if (!archive.try_read(kTexts, dictionary)) return texts;
  for (const auto& entry : dictionary.toGenericDict()) {
    texts.emplace(entry.key().toStringRef(), entry.value().toStringRef());
  }
  return texts;
}

}  // namespace

ObjectMetadata SaveCheckpoint(const Client& client, const ObjectName& object, const TrainingState& state,
                              const ParallelWriterOptions& options) {
  RequireModule(state, object);
  const auto fill = [&](OutputArchive& archive) {
    WriteNested(archive, kModule, *state.module);
    if (state.optimizer != nullptr) WriteNested(archive, kOptimizer, *state.optimizer);
    WriteMap(archive, kNumbers, state.numbers);
    WriteMap(archive, kTexts, state.texts);
  };
  return SaveArchive(client, object, fill, options);
}

void LoadCheckpoint(const Client& client, const ObjectName& object, TrainingState& state,
                    const ObjectReaderOptions& options) {
  RequireModule(state, object);
  const auto use = [&](InputArchive& archive) {
    InputArchive module = ReadNested(archive, kModule, object);
    if (const auto mismatch = ModuleMismatch(*state.module, module)) throw Undecodable(object, *mismatch);
    std::map<std::string, std::int64_t> numbers = ReadNumbers(archive);
    std::map<std::string, std::string> texts = ReadTexts(archive);
    if (state.optimizer != nullptr) {
      InputArchive optimizer = ReadNested(archive, kOptimizer, object);
      LoadOptimizer(*state.optimizer, optimizer);
    }
    // The module matches, so that this cannot fail half-way.
    state.module->load(module);
    state.numbers = std::move(numbers);
    state.texts = std::move(texts);
  };
  LoadArchive(client, object, use, options);
}

}  // namespace gcsflux
