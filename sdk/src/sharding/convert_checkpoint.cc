#include "formats/convert_checkpoint.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "checkpoints/folder_shards.h"
#include "checkpoints/step_names.h"
#include "checkpoints/step_writer.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "sharding/distributed_checkpoint.h"
#include "sharding/shard_checkpoint.h"

namespace gcsflux {
namespace internal {
namespace {

class ShardConversion {
 public:
  ShardConversion(const Client& client, const StoredCheckpoint& checkpoint, const ConvertOptions& options)
      : client_(client), checkpoint_(checkpoint), options_(options) {}

  Result<ConvertedCheckpoint> ToStep(const StepPlace& to, const std::string& from) {
    auto manifest = AboutStep(from);
    if (!manifest) return manifest.error();
    manifest->step = to.step;
    const auto store = OpenStepStore(client_, to.run, {}, options_.file.stop);
    if (!store) return store.error();
    auto writer = StepWriter::Start(*store);
    if (!writer) return writer.error();
    const auto saved = SaveStep(*writer, *std::move(manifest));
    const auto released = writer->Release();
    if (saved && !released) return released.error();
    return saved;
  }

  Result<ConvertedCheckpoint> ToFolder(const std::string& folder) {
    if (auto checked = CheckFolder(folder); !checked) return checked.error();
    std::vector<StepFile> files;
    const ShardWriter write_file = [&](const std::string& name, const CheckpointWriter& write) -> Result<StepFile> {
      UploadOptions options = options_.file;
      options.mode = WriteMode::kCreate;
      const auto object = WriteCheckpoint(client_, folder + name, write, options);
      if (!object) return object.error();
      files.push_back({.name = name, .size = object->size, .generation = object->generation});
      return files.back();
    };
    const bool is_distributed = options_.format == CheckpointFormat::kDistributed;
    const auto write_all = is_distributed ? WriteDistributed : ShardCheckpoint;
    const auto shards = write_all(checkpoint_, std::max(options_.shards, 1), write_file, options_.is_tensors_only);
    if (shards) return CountOf(*shards);
    // If the last file may be there, the others may be all that it needs.
    if (shards.error().outcome == WriteOutcome::kNotStored) RemoveFiles(folder, files);
    return shards.error();
  }

 private:
  [[nodiscard]] ConvertedCheckpoint CountOf(const WrittenShards& shards) const {
    ConvertedCheckpoint count{.tensors = checkpoint_.tensors().size(), .files = shards.files.size()};
    for (const StepFile& file : shards.files) count.bytes += file.size;
    return count;
  }

  // The caller's own of the step that is converted; nothing of other checkpoints.
  [[nodiscard]] Result<CheckpointManifest> AboutStep(const std::string& from) const {
    CheckpointManifest about{.time = std::chrono::system_clock::now()};
    const auto place = StepPlaceOf(from);
    if (!place) return about;
    const auto store = OpenStepStore(client_, place->run, {}, options_.file.stop);
    if (!store) return store.error();
    auto stored = (*store)->ReadManifest(place->step);
    if (!stored) return stored.error();
    about.time = stored->manifest.time;
    about.metrics = std::move(stored->manifest.metrics);
    about.metadata = std::move(stored->manifest.metadata);
    return about;
  }

  Result<ConvertedCheckpoint> SaveStep(StepWriter& writer, CheckpointManifest manifest) {
    if (auto checked = writer.CheckStep(manifest); !checked) return checked.error();
    std::vector<StepFile> files;
    const ShardWriter write_file = [&](const std::string& name, const CheckpointWriter& write) {
      auto file = writer.WriteFile(manifest.step, name, write, options_.file);
      if (file) files.push_back(*file);
      return file;
    };
    auto shards = ShardCheckpoint(checkpoint_, options_.shards, write_file, options_.is_tensors_only);
    if (!shards) return writer.Discard(files), shards.error();
    const ConvertedCheckpoint count = CountOf(*shards);
    manifest.files = std::move(shards->files);
    manifest.tensors = std::move(shards->tensors);
    const auto stored = writer.Commit(std::move(manifest));
    if (!stored) return stored.error();
    return count;
  }

  // Files of another checkpoint would become part of this one.
  [[nodiscard]] Result<void> CheckFolder(const std::string& folder) const {
    std::error_code error;
    if (!IsObjectUri(folder)) std::filesystem::create_directories(folder, error);
    if (error) return Error{ErrorCode::kLocalIo, "cannot make '" + folder + "': " + error.message()};
    const auto found = ShardsInFolder(client_, folder, {}, options_.file.stop);
    if (!found) return found.error();
    const std::string& file =
        found->distributed.empty() && !found->safetensors.empty() ? found->safetensors.front() : found->distributed;
    if (file.empty()) return {};
    return Error{ErrorCode::kAlreadyExists, folder + " has files of a checkpoint already, such as " + file +
                                                "; convert into another folder, or remove them"};
  }

  void RemoveFiles(const std::string& folder, const std::vector<StepFile>& files) const {
    for (const StepFile& file : files) {
      const std::string place = folder + file.name;
      std::error_code ignored;
      if (!IsObjectUri(place))
        std::filesystem::remove(place, ignored);
      else if (const auto object = ParseUri(place); object)
        static_cast<void>(client_.DeleteObject(*object, {.generation = file.generation}).ok());
    }
  }

  const Client& client_;
  const StoredCheckpoint& checkpoint_;
  const ConvertOptions& options_;
};

}  // namespace
}  // namespace internal

Result<ConvertedCheckpoint> ConvertCheckpoint(const Client& client, const std::string& from, const std::string& to,
                                              const ConvertOptions& options) {
  const auto checkpoint = OpenCheckpoint(client, from, {.stop = options.file.stop});
  if (!checkpoint) return checkpoint.error();
  const bool is_distributed = options.format == CheckpointFormat::kDistributed;
  if (options.shards == 0 && !is_distributed) {
    const CheckpointWriter convert = [&](const ByteSink& sink) {
      return internal::WriteConverted(*checkpoint, options.format, sink, options.is_tensors_only);
    };
    const auto written = WriteCheckpoint(client, to, convert, options.file);
    if (!written) return written.error();
    return ConvertedCheckpoint{.tensors = checkpoint->tensors().size(), .files = 1, .bytes = written->size};
  }
  internal::ShardConversion conversion(client, *checkpoint, options);
  const auto step = is_distributed ? std::nullopt : internal::StepPlaceOf(to);
  if (step) return conversion.ToStep(*step, from);
  if (to.ends_with('/')) return conversion.ToFolder(to);
  if (is_distributed) {
    return Error{ErrorCode::kInvalidArgument, "a distributed checkpoint is a folder: '" + to + "/'"};
  }
  return Error{ErrorCode::kInvalidArgument,
               "with shards the destination is a folder with its '/', or a step of a run: "
               "gs://BUCKET/RUN/step-00000042.json; not '" +
                   to + "'"};
}

}  // namespace gcsflux
