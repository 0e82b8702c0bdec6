#include <torch/nn/module.h>

#include <utility>

#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/safetensors.h"
#include "gcsflux/torch/state_dict.h"
#include "torch/archive_bytes.h"
#include "torch/module_tensors.h"
#include "torch/tensor_bytes.h"

namespace gcsflux {
namespace {

StorageError NoSuchFormat(CheckpointFormat format) {
  return StorageError({.code = ErrorCode::kInvalidArgument,
                       .message = "state_dicts are not written as " + std::string(FormatName(format))});
}

// Turns a writer that throws into one that returns an error.
template <class Write>
CheckpointWriter Returning(Write write) {
  return [write](const ByteSink& sink) -> Result<void> {
    try {
      write(sink);
    } catch (const StorageError& failure) {
      return failure.error();
    }
    return {};
  };
}

void WriteAsSafetensors(const NamedTensors& tensors, const ByteSink& sink) {
  SafetensorsContents contents;
  for (const auto& [name, tensor] : tensors) {
    const auto dtype = HasElements(tensor) ? DTypeOf(tensor.scalar_type()) : std::nullopt;
    if (!dtype) {
      throw StorageError(
          {.code = ErrorCode::kInvalidArgument,
           .message = "tensor '" + name + "' is undefined, sparse, quantised, nested or without memory"});
    }
    contents.tensors.push_back({name, *dtype, tensor.sizes().vec()});
  }
  const TensorWriter write = [&](std::size_t index, const ByteSink& into) {
    const at::Tensor plain = PlainOf(tensors[index].second);
    return into(BytesOf(plain));
  };
  ValueOrThrow(WriteSafetensors(contents, write, sink));
}

// `of` makes the value with a writer.
template <class Of>
void WriteAsTorchFile(const Of& of, const ByteSink& sink) {
  StateDictWriter writer;
  pickled::Value root = of(writer);
  std::move(writer).Write(std::move(root), sink);
}

}  // namespace

ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const NamedTensors& tensors,
                             const SaveStateDictOptions& options) {
  const auto write = [&](const ByteSink& sink) {
    if (options.format == CheckpointFormat::kSafetensors) return WriteAsSafetensors(tensors, sink);
    if (options.format != CheckpointFormat::kTorchFile) throw NoSuchFormat(options.format);
    WriteAsTorchFile([&](StateDictWriter& writer) { return writer.OfTensors(tensors); }, sink);
  };
  return ValueOrThrow(WriteCheckpoint(client, uri, Returning(write), options.writer));
}

ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const torch::nn::Module& module,
                             const SaveStateDictOptions& options) {
  if (options.format == CheckpointFormat::kSafetensors) {
    return SaveStateDict(client, uri, TensorsOf(module), options);
  }
  const auto write = [&](const ByteSink& sink) {
    if (options.format == CheckpointFormat::kLibtorchArchive) {
      RefuseLazyViews(module);
      return WriteArchive([&](torch::serialize::OutputArchive& archive) { module.save(archive); }, uri, sink);
    }
    if (options.format != CheckpointFormat::kTorchFile) throw NoSuchFormat(options.format);
    WriteAsTorchFile([&](StateDictWriter& writer) { return writer.OfModule(module); }, sink);
  };
  return ValueOrThrow(WriteCheckpoint(client, uri, Returning(write), options.writer));
}

void LoadStateDict(const Client& client, const std::string& uri, torch::nn::Module& module,
                   const LoadModuleOptions& options) {
  LoadModule(module, ValueOrThrow(OpenCheckpoint(client, uri)), options);
}

NamedTensors LoadStateDict(const Client& client, const std::string& uri, std::string_view prefix) {
  return ReadTensors(ValueOrThrow(OpenCheckpoint(client, uri)), prefix);
}

}  // namespace gcsflux
