#include <torch/nn/module.h>

#include <utility>

#include "checkpoints/write_checkpoint.h"
#include "formats/safetensors/safetensors.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "torch/archive_bytes.h"
#include "torch/failure.h"
#include "torch/module_tensors.h"
#include "torch/run_state.h"
#include "torch/scalar_types.h"
#include "torch/state_dict_writer.h"
#include "torch/tensor_bytes.h"

namespace gcsflux {
namespace {

StorageError NoSuchFormat(CheckpointFormat format) {
  return StorageError({.code = ErrorCode::kInvalidArgument,
                       .message = "state_dicts are not written as " + std::string(FormatName(format))});
}

// `write` throws.
template <class Write>
ObjectMetadata WriteOrThrow(const Client& client, const std::string& uri, const UploadOptions& options,
                            const Write& write) {
  const CheckpointWriter returning = [&](const ByteSink& sink) -> Result<void> {
    try {
      write(sink);
    } catch (const StorageError& failure) {
      return failure.error();
    }
    return {};
  };
  return ValueOrThrow(WriteCheckpoint(client, uri, returning, options));
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

}  // namespace

ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const NamedTensors& tensors,
                             CheckpointFormat format, const UploadOptions& options) {
  return WriteOrThrow(client, uri, options, [&](const ByteSink& sink) {
    if (format == CheckpointFormat::kSafetensors) return WriteAsSafetensors(tensors, sink);
    if (format != CheckpointFormat::kTorchFile) throw NoSuchFormat(format);
    StateDictWriter writer;
    pickled::Value root = writer.OfTensors(tensors);
    WriteTorchFile(std::move(writer).Gather(std::move(root)), sink);
  });
}

ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const torch::nn::Module& module,
                             CheckpointFormat format, const UploadOptions& options) {
  return WriteOrThrow(client, uri, options, [&](const ByteSink& sink) {
    if (format == CheckpointFormat::kSafetensors) return WriteAsSafetensors(TensorsOf(module), sink);
    if (format == CheckpointFormat::kLibtorchArchive) {
      RefuseLazyViews(module);
      return WriteArchive([&](torch::serialize::OutputArchive& archive) { module.save(archive); }, uri, sink);
    }
    if (format != CheckpointFormat::kTorchFile) throw NoSuchFormat(format);
    StateDictWriter writer;
    pickled::Value root = writer.OfModule(module);
    WriteTorchFile(std::move(writer).Gather(std::move(root)), sink);
  });
}

ObjectMetadata SaveStateDict(const Client& client, const std::string& uri, const RunState& state,
                             const UploadOptions& options) {
  if (!state.slices.empty()) {
    throw Failure(ErrorCode::kInvalidArgument, "RunState: slices are saved by a group, not in one file");
  }
  return WriteOrThrow(client, uri, options, [&](const ByteSink& sink) { WriteTorchFile(GatherState(state), sink); });
}

void LoadStateDict(const Client& client, const std::string& uri, torch::nn::Module& module,
                   const LoadModuleOptions& options) {
  LoadModule(module, ValueOrThrow(OpenCheckpoint(client, uri)), options);
}

NamedTensors LoadStateDict(const Client& client, const std::string& uri, std::string_view prefix) {
  return ReadTensors(ValueOrThrow(OpenCheckpoint(client, uri)), prefix);
}

}  // namespace gcsflux
