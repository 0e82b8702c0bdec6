#include "cli/checkpoint/convert_to_shards.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/arguments/names.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/checkpoints/sharding.h"

namespace gcsflux::cli {
namespace {

Error NoPlaceForShards(const std::string& message) { return {ErrorCode::kInvalidArgument, message}; }

ConvertedShards CountOf(const WrittenShards& shards) {
  ConvertedShards count{.files = shards.files.size()};
  for (const StepFile& file : shards.files) count.bytes += file.size;
  return count;
}

// The caller's own of the step that is converted; nothing of other checkpoints.
Result<CheckpointManifest> About(const Client& client, const ShardConversion& conversion) {
  CheckpointManifest about{.time = std::chrono::system_clock::now()};
  const auto from = StepPlaceOf(conversion.source);
  if (!from) return about;
  const auto steps = CheckpointSteps::Open(client, from->run, {}, conversion.writer.stop);
  if (!steps) return steps.error();
  auto stored = steps->Read(from->step);
  if (!stored) return stored.error();
  about.time = stored->manifest.time;
  about.metrics = std::move(stored->manifest.metrics);
  about.metadata = std::move(stored->manifest.metadata);
  return about;
}

Result<ConvertedShards> SaveStep(StepWriter& writer, CheckpointManifest manifest, const StoredCheckpoint& checkpoint,
                                 const ShardConversion& conversion) {
  if (auto checked = writer.CheckStep(manifest); !checked) return checked.error();
  std::vector<StepFile> files;
  const ShardWriter write_file = [&](const std::string& name, const CheckpointWriter& write) {
    auto file = writer.WriteFile(manifest.step, name, write, conversion.writer);
    if (file) files.push_back(*file);
    return file;
  };
  auto shards =
      ShardCheckpoint(checkpoint, conversion.shards, write_file, {.is_tensors_only = conversion.is_tensors_only});
  if (!shards) return writer.Discard(files), shards.error();
  const ConvertedShards count = CountOf(*shards);
  manifest.files = std::move(shards->files);
  manifest.tensors = std::move(shards->tensors);
  const auto stored = writer.Commit(std::move(manifest));
  if (!stored) return stored.error();
  return count;
}

Result<ConvertedShards> ToStep(const Client& client, const StepPlace& to, const StoredCheckpoint& checkpoint,
                               const ShardConversion& conversion) {
  auto manifest = About(client, conversion);
  if (!manifest) return manifest.error();
  manifest->step = to.step;
  const auto steps = CheckpointSteps::Open(client, to.run, {}, conversion.writer.stop);
  if (!steps) return steps.error();
  auto writer = StepWriter::Start(*steps);
  if (!writer) return writer.error();
  auto saved = SaveStep(*writer, *std::move(manifest), checkpoint, conversion);
  const auto released = writer->Release();
  if (saved && !released) return released.error();
  return saved;
}

// Files of another checkpoint would become part of this one.
Result<void> CheckFolder(const Client& client, const ShardConversion& conversion) {
  const std::string& folder = conversion.destination;
  std::error_code error;
  if (!IsUri(folder)) std::filesystem::create_directories(folder, error);
  if (error) return Error{ErrorCode::kLocalIo, "cannot make '" + folder + "': " + error.message()};
  const auto found = ListShards(client, folder, conversion.writer.stop);
  if (!found) return found.error();
  if (found->empty()) return {};
  return Error{ErrorCode::kAlreadyExists, folder + " has files of safetensors already, such as " + found->front() +
                                              "; convert into another folder, or remove them"};
}

void RemoveFiles(const Client& client, const std::string& folder, const std::vector<StepFile>& files) {
  for (const StepFile& file : files) {
    const std::string place = folder + file.name;
    std::error_code ignored;
    if (!IsUri(place))
      std::filesystem::remove(place, ignored);
    else if (const auto object = ParseUri(place); object)
      static_cast<void>(client.DeleteObject(*object, {.generation = file.generation}).ok());
  }
}

Result<ConvertedShards> ToFolder(const Client& client, const StoredCheckpoint& checkpoint,
                                 const ShardConversion& conversion) {
  if (auto checked = CheckFolder(client, conversion); !checked) return checked.error();
  std::vector<StepFile> files;
  const ShardWriter write_file = [&](const std::string& name, const CheckpointWriter& write) -> Result<StepFile> {
    UploadOptions options = conversion.writer;
    options.mode = WriteMode::kCreate;
    const std::string place = conversion.destination + name;
    const auto object = WriteCheckpoint(client, place, write, options);
    if (!object) return object.error();
    files.push_back({.name = name, .size = object->size, .generation = object->generation});
    return files.back();
  };
  const auto shards =
      ShardCheckpoint(checkpoint, conversion.shards, write_file, {.is_tensors_only = conversion.is_tensors_only});
  if (shards) return CountOf(*shards);
  // If the last file may be there, the others may be all that it needs.
  if (shards.error().outcome == WriteOutcome::kNotStored) RemoveFiles(client, conversion.destination, files);
  return shards.error();
}

}  // namespace

Result<ConvertedShards> ConvertToShards(const Client& client, const StoredCheckpoint& checkpoint,
                                        const ShardConversion& conversion) {
  if (const auto step = StepPlaceOf(conversion.destination)) return ToStep(client, *step, checkpoint, conversion);
  if (conversion.destination.ends_with('/')) return ToFolder(client, checkpoint, conversion);
  return NoPlaceForShards(
      "with --shards the destination is a folder with its '/', or a step of a run: "
      "gs://BUCKET/RUN/step-00000042.json; not '" +
      conversion.destination + "'");
}

}  // namespace gcsflux::cli
