#include <gflags/gflags.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/checkpoints/sharding.h"
#include "gcsflux/upload.h"

DEFINE_string(
    format, "",
    "torch or safetensors. If empty, the destination's ending decides: .safetensors, or .pt, .pth, .bin, .ckpt.");
DEFINE_int32(shards, 0, "Number of safetensors files to write, as that many processes would. 0: one file.");
DEFINE_bool(tensors_only, false, "Leave out values that are not tensors; otherwise they may be an error.");

namespace gcsflux::cli {
namespace {

// For a writer. Together with the pieces that are read, a conversion stays below 320 MiB.
constexpr std::uint64_t kWriterMemory = 96 << 20;

UploadOptions WriterForCommand() { return {.stop = StopOnSignal(), .part_memory_bytes = kWriterMemory}; }

Error WrongConversion(const std::string& message) { return {ErrorCode::kInvalidArgument, message}; }

using Places = std::vector<std::string>;  // From, to.
using Files = std::vector<StepFile>;

// The caller's own of the step that is converted; nothing of other checkpoints.
Result<CheckpointManifest> About(const Client& client, const Places& places) {
  CheckpointManifest about{.time = std::chrono::system_clock::now()};
  const auto from = StepPlaceOf(places[0]);
  if (!from) return about;
  const auto steps = CheckpointSteps::Open(client, from->run, {}, StopOnSignal());
  if (!steps) return steps.error();
  auto stored = steps->Read(from->step);
  if (!stored) return stored.error();
  about.time = stored->manifest.time;
  about.metrics = std::move(stored->manifest.metrics);
  about.metadata = std::move(stored->manifest.metadata);
  return about;
}

Result<Files> SaveStep(StepWriter& writer, CheckpointManifest manifest, const StoredCheckpoint& checkpoint) {
  if (auto checked = writer.CheckStep(manifest); !checked) return checked.error();
  Files files;
  const ShardWriter write_file = [&](const std::string& name, const CheckpointWriter& write) {
    auto file = writer.WriteFile(manifest.step, name, write, WriterForCommand());
    if (file) files.push_back(*file);
    return file;
  };
  auto shards = ShardCheckpoint(checkpoint, FLAGS_shards, write_file, {.is_tensors_only = FLAGS_tensors_only});
  if (!shards) return writer.Discard(files), shards.error();
  manifest.files = std::move(shards->files);
  manifest.tensors = std::move(shards->tensors);
  const auto stored = writer.Commit(std::move(manifest));
  if (!stored) return stored.error();
  return files;
}

Result<Files> ToStep(const Client& client, const StepPlace& to, const StoredCheckpoint& checkpoint,
                     const Places& places) {
  auto manifest = About(client, places);
  if (!manifest) return manifest.error();
  manifest->step = to.step;
  const auto steps = CheckpointSteps::Open(client, to.run, {}, StopOnSignal());
  if (!steps) return steps.error();
  auto writer = StepWriter::Start(*steps);
  if (!writer) return writer.error();
  auto saved = SaveStep(*writer, *std::move(manifest), checkpoint);
  const auto released = writer->Release();
  if (saved && !released) return released.error();
  return saved;
}

// Files of another checkpoint would become part of this one.
Result<void> CheckFolder(const Client& client, const std::string& folder) {
  std::error_code error;
  if (!IsUri(folder)) std::filesystem::create_directories(folder, error);
  if (error) return Error{ErrorCode::kLocalIo, "cannot make '" + folder + "': " + error.message()};
  const auto found = ListShards(client, folder, StopOnSignal());
  if (!found) return found.error();
  if (found->empty()) return {};
  return Error{ErrorCode::kAlreadyExists, folder + " has files of safetensors already, such as " + found->front() +
                                              "; convert into another folder, or remove them"};
}

void RemoveFiles(const Client& client, const std::string& folder, const Files& files) {
  for (const StepFile& file : files) {
    const std::string place = folder + file.name;
    std::error_code ignored;
    if (!IsUri(place))
      std::filesystem::remove(place, ignored);
    else if (const auto object = ParseUri(place); object)
      static_cast<void>(client.DeleteObject(*object, {.generation = file.generation}).ok());
  }
}

Result<Files> ToFolder(const Client& client, const StoredCheckpoint& checkpoint, const std::string& folder) {
  if (auto checked = CheckFolder(client, folder); !checked) return checked.error();
  Files files;
  const ShardWriter write_file = [&](const std::string& name, const CheckpointWriter& write) -> Result<StepFile> {
    UploadOptions options = WriterForCommand();
    options.mode = WriteMode::kCreate;
    const auto object = WriteCheckpoint(client, folder + name, write, options);
    if (!object) return object.error();
    files.push_back({.name = name, .size = object->size, .generation = object->generation});
    return files.back();
  };
  const auto shards = ShardCheckpoint(checkpoint, FLAGS_shards, write_file, {.is_tensors_only = FLAGS_tensors_only});
  if (shards) return shards->files;
  // If the last file may be there, the others may be all that it needs.
  if (shards.error().outcome == WriteOutcome::kNotStored) RemoveFiles(client, folder, files);
  return shards.error();
}

// Writes the files: as a step of a run, or into a folder that has no safetensors. After an error, what was written is
// removed as far as that succeeds.
Result<Files> ConvertToShards(const Client& client, const StoredCheckpoint& checkpoint, const Places& places) {
  if (const auto step = StepPlaceOf(places[1])) return ToStep(client, *step, checkpoint, places);
  if (places[1].ends_with('/')) return ToFolder(client, checkpoint, places[1]);
  return WrongConversion(
      "with --shards the destination is a folder with its '/', or a step of a run: "
      "gs://BUCKET/RUN/step-00000042.json; not '" +
      places[1] + "'");
}

Result<CheckpointFormat> WantedFormat(const std::string& destination) {
  if (FLAGS_format == "safetensors") return CheckpointFormat::kSafetensors;
  if (FLAGS_format == "torch") return CheckpointFormat::kTorchFile;
  if (!FLAGS_format.empty())
    return WrongConversion("flag --format must be torch or safetensors, not '" + FLAGS_format + "'");
  if (destination.ends_with(".safetensors")) return CheckpointFormat::kSafetensors;
  for (const char* ending : {".pt", ".pth", ".bin", ".ckpt"}) {
    if (destination.ends_with(ending)) return CheckpointFormat::kTorchFile;
  }
  return WrongConversion("'" + destination + "' does not tell the format to write; set --format");
}

Result<void> ConvertIntoShards(const Client& client, const Places& places) {
  if (FLAGS_shards < 0) return WrongConversion("flag --shards must not be negative");
  if (FLAGS_format == "torch") return WrongConversion("with --shards the format is safetensors, not torch");
  const auto checkpoint = OpenCheckpoint(client, places[0], {.stop = StopOnSignal()});
  if (!checkpoint) return checkpoint.error();
  const auto files = ConvertToShards(client, *checkpoint, places);
  if (!files) return files.error();
  std::uint64_t bytes = 0;
  for (const StepFile& file : *files) bytes += file.size;
  SayDone("wrote " + Count(checkpoint->tensors().size(), "tensor") + " in " + Count(files->size(), "file") + ", " +
          std::to_string(bytes) + " bytes");
  return {};
}

Result<void> Convert(const Client& client, const Places& places) {
  if (FLAGS_shards != 0) return ConvertIntoShards(client, places);
  const auto format = WantedFormat(places[1]);
  if (!format) return format.error();
  const auto checkpoint = OpenCheckpoint(client, places[0], {.stop = StopOnSignal()});
  if (!checkpoint) return checkpoint.error();
  const CheckpointWriter convert = [&](const ByteSink& sink) {
    return ConvertCheckpoint(*checkpoint, *format, sink, {.is_tensors_only = FLAGS_tensors_only});
  };
  const auto written = WriteCheckpoint(client, places[1], convert, WriterForCommand());
  if (!written) return written.error();
  SayDone("wrote " + Count(checkpoint->tensors().size(), "tensor") + ", " + std::to_string(written->size) + " bytes");
  return {};
}

constexpr CommandFlag kConvertFlags[] = {{"format"}, {"shards"}, {"tensors_only"}};

}  // namespace

constinit const Command kConvert = {
    .name = "checkpoint convert",
    .arguments = "FROM TO",
    .summary = "Convert a file of torch.save to safetensors, or the other way round.",
    .details =
        "With --shards=N: to N files of safetensors, as a step that N processes saved, "
        "gs://BUCKET/RUN/step-00000042.json,\n"
        "or in a folder, with its '/'.\n",
    .flags = kConvertFlags,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = Convert,
};

}  // namespace gcsflux::cli
