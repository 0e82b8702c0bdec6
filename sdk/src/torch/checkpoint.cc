#include "gcsflux/torch/checkpoint.h"

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

#include <memory>
#include <optional>
#include <string>

#include "gcsflux/checkpoints/open_checkpoint.h"
#include "gcsflux/torch/archive.h"
#include "torch/module_match.h"
#include "torch/module_tensors.h"
#include "torch/optimizer_state.h"
#include "torch/python_checkpoint.h"
#include "torch/staged_state.h"

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

StorageError BadCheckpoint(const ObjectName& object, const std::string& why) {
  const std::string uri = ToUri(object);
  const std::string place = why.starts_with(uri) ? "" : uri + ": ";
  return StorageError({.code = ErrorCode::kUndecodable, .message = "LoadCheckpoint " + place + why});
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
  throw BadCheckpoint(object, std::string("it holds no ") + key + "; was it written by SaveCheckpoint with one?");
}

// One dictionary instead of an attribute for each, because an attribute's name must be an identifier of TorchScript.
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

// Writes a libtorch archive, as earlier versions did, for optimizers whose form in Python is unknown.
ObjectMetadata SaveAsArchive(const Client& client, const ObjectName& object, const TrainingState& state,
                             const ParallelWriterOptions& options) {
  RefuseLazyViews(*state.module);
  const auto fill = [&](OutputArchive& archive) {
    WriteNested(archive, kModule, *state.module);
    if (state.optimizer != nullptr) WriteNested(archive, kOptimizer, *state.optimizer);
    WriteMap(archive, kNumbers, state.numbers);
    WriteMap(archive, kTexts, state.texts);
  };
  return SaveArchive(client, object, fill, options);
}

void LoadFromArchive(const Client& client, const ObjectName& object, TrainingState& state,
                     const ObjectReaderOptions& options) {
  RefuseLazyViews(*state.module);
  const auto use = [&](InputArchive& archive) {
    InputArchive module = ReadNested(archive, kModule, object);
    if (const auto mismatch = ModuleMismatch(*state.module, module)) throw BadCheckpoint(object, *mismatch);
    std::map<std::string, std::int64_t> numbers = ReadNumbers(archive);
    std::map<std::string, std::string> texts = ReadTexts(archive);
    if (state.optimizer != nullptr) {
      InputArchive optimizer = ReadNested(archive, kOptimizer, object);
      LoadOptimizer(*state.optimizer, optimizer);
    }
    // The module matches, so this cannot fail in the middle.
    state.module->load(module);
    state.numbers = std::move(numbers);
    state.texts = std::move(texts);
  };
  LoadArchive(client, object, use, options);
}

// If the bytes differ from the stored ones, that is the reason.
StoredCheckpoint OpenOrThrow(const std::shared_ptr<const ObjectReader>& reader, const ObjectName& object) {
  auto opened = StoredCheckpoint::Open(SourceOf(reader));
  if (opened.ok()) return *std::move(opened);
  if (opened.error().code != ErrorCode::kUndecodable) throw StorageError(opened.error());
  ValueOrThrow(reader->VerifyWhole());
  throw BadCheckpoint(object, opened.error().message);
}

}  // namespace

ObjectMetadata SaveCheckpoint(const Client& client, const ObjectName& object, const TrainingState& state,
                              const ParallelWriterOptions& options) {
  RequireModule(state, object);
  if (state.optimizer != nullptr && !IsKnownOptimizer(*state.optimizer)) {
    return SaveAsArchive(client, object, state, options);
  }
  ParallelWriter writer(client, object, options);
  WritePythonCheckpoint(state, [&writer](std::span<const std::byte> bytes) { return writer.Write(bytes); });
  return ValueOrThrow(writer.Close());
}

void LoadCheckpoint(const Client& client, const ObjectName& object, TrainingState& state,
                    const ObjectReaderOptions& options) {
  RequireModule(state, object);
  const auto reader = std::make_shared<const ObjectReader>(ValueOrThrow(ObjectReader::Open(client, object, options)));
  const StoredCheckpoint checkpoint = OpenOrThrow(reader, object);
  if (checkpoint.format() == CheckpointFormat::kLibtorchArchive) {
    ObjectReaderOptions same = options;
    same.generation = reader->source().generation;
    return LoadFromArchive(client, object, state, same);
  }
  if (checkpoint.torch_file() == nullptr) {
    throw BadCheckpoint(object,
                        "it is " + std::string(FormatName(checkpoint.format())) + "; LoadStateDict() reads that");
  }
  try {
    LoadPythonCheckpoint(checkpoint, state, [&] { ValueOrThrow(reader->VerifyWhole()); });
  } catch (const StorageError& failure) {
    if (failure.error().code != ErrorCode::kUndecodable) throw;
    throw BadCheckpoint(object, failure.error().message);
  }
}

}  // namespace gcsflux
