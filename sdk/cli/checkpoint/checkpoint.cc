#include "gcsflux/checkpoints/checkpoint.h"

#include <gflags/gflags.h>

#include <iostream>

#include "cli/arguments/names.h"
#include "cli/checkpoint/checkpoint_lines.h"
#include "cli/checkpoint/checkpoint_run.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"

DECLARE_bool(json);
DEFINE_string(format, "",
              "checkpoint convert: torch or safetensors. If empty, the destination's ending decides: "
              ".safetensors, or .pt, .pth, .bin, .ckpt.");
DEFINE_int32(shards, 0,
             "checkpoint convert: number of safetensors files to write, as that many processes would. The destination "
             "is a step of a run, gs://BUCKET/RUN/step-00000042.json, or a folder, with its '/'. 0: one file.");
DEFINE_bool(tensors_only, false,
            "checkpoint convert: leaves out values that are not tensors. Otherwise they are an error if the "
            "other format cannot hold them.");

namespace gcsflux::cli {
namespace {

using Arguments = std::vector<std::string>;

// For a writer. Together with the pieces that are read, a conversion stays below 320 MiB.
constexpr std::uint64_t kWriterMemory = 96 << 20;

Error WrongUsage(const std::string& message) { return {ErrorCode::kInvalidArgument, message}; }

void PrintLine(std::string line) { std::cout << Shown(std::move(line)) << '\n'; }

Result<StoredCheckpoint> Open(const Client& client, const std::string& place) {
  return OpenCheckpoint(client, place, {.stop = StopOnSignal()});
}

Result<void> Inspect(const Client& client, const Arguments& places) {
  const auto checkpoint = Open(client, places.front());
  if (!checkpoint) return checkpoint.error();
  PrintLine(CheckpointLine(*checkpoint, FLAGS_json));
  for (const StoredTensor& tensor : checkpoint->tensors()) {
    PrintLine(TensorLine(tensor, checkpoint->Crc32c(tensor), FLAGS_json));
  }
  for (const RefusedValue& value : checkpoint->refused()) PrintLine(RefusedLine(value, FLAGS_json));
  PrintLine(TotalLine(*checkpoint, FLAGS_json));
  return {};
}

Result<void> Verify(const Client& client, const Arguments& places) {
  if (IsUri(places.front()) && places.front().ends_with('/')) {
    if (auto verified = VerifyRun(client, places)) return *verified;
  }
  const auto checkpoint = Open(client, places.front());
  if (!checkpoint) return checkpoint.error();
  PrintLine(CheckpointLine(*checkpoint, FLAGS_json));
  const auto report = VerifyCheckpoint(
      *checkpoint, [&](const VerifiedStorage& verified) { PrintLine(VerifiedLine(verified, FLAGS_json)); });
  if (!report) return report.error();
  const auto whole = checkpoint->VerifyWhole();
  const bool is_whole = whole && *whole;
  PrintLine(VerifyTotalLine(*checkpoint, *report, is_whole, FLAGS_json));
  if (report->damaged > 0) {
    return Error{ErrorCode::kCorrupted, places.front() + ": " + std::to_string(report->damaged) + " of " +
                                            std::to_string(report->storages) +
                                            " storages are damaged; load another copy of it"};
  }
  if (!whole) return whole.error();
  return {};
}

Result<CheckpointFormat> WantedFormat(const std::string& destination) {
  if (FLAGS_format == "safetensors") return CheckpointFormat::kSafetensors;
  if (FLAGS_format == "torch") return CheckpointFormat::kTorchFile;
  if (!FLAGS_format.empty())
    return WrongUsage("flag --format must be torch or safetensors, not '" + FLAGS_format + "'");
  if (destination.ends_with(".safetensors")) return CheckpointFormat::kSafetensors;
  for (const char* ending : {".pt", ".pth", ".bin", ".ckpt"}) {
    if (destination.ends_with(ending)) return CheckpointFormat::kTorchFile;
  }
  return WrongUsage("'" + destination + "' does not tell the format to write; set --format");
}

std::string CountOf(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Result<void> Convert(const Client& client, const Arguments& places) {
  if (FLAGS_shards < 0) return WrongUsage("flag --shards must not be negative");
  if (FLAGS_shards > 0 && FLAGS_format == "torch") {
    return WrongUsage("with --shards the format is safetensors, not torch");
  }
  const auto format = FLAGS_shards > 0 ? CheckpointFormat::kSafetensors : WantedFormat(places[1]);
  if (!format) return format.error();
  const auto converted = ConvertCheckpoint(client, places[0], places[1],
                                           {.format = *format,
                                            .shards = FLAGS_shards,
                                            .is_tensors_only = FLAGS_tensors_only,
                                            .file = {.stop = StopOnSignal(), .part_memory_bytes = kWriterMemory}});
  if (!converted) return converted.error();
  std::cerr << "gcsflux: wrote " << CountOf(converted->tensors, "tensor")
            << (FLAGS_shards > 0 ? " in " + CountOf(converted->files, "file") : "") << ", " << converted->bytes
            << " bytes\n";
  return {};
}

Result<void> Diff(const Client& client, const Arguments& places) {
  const auto first = Open(client, places[0]);
  if (!first) return first.error();
  const auto second = Open(client, places[1]);
  if (!second) return second.error();
  const auto report = CompareCheckpoints(
      *first, *second, [](const TensorDifference& difference) { PrintLine(DifferenceLine(difference, FLAGS_json)); });
  if (!report) return report.error();
  PrintLine(CompareTotalLine(*report, FLAGS_json));
  if (report->different == 0) return {};
  return Error{ErrorCode::kPreconditionFailed, "the checkpoints differ"};
}

struct CheckpointAction {
  std::string_view name;
  std::size_t places;
  std::string_view usage;
  Result<void> (*run)(const Client& client, const Arguments& places);
};

Result<void> RunCheckpoint(const Client& client, const Arguments& arguments) {
  constexpr CheckpointAction kActions[] = {{"inspect", 1, " CHECKPOINT", Inspect},
                                           {"verify", 1, " CHECKPOINT, or RUN/", Verify},
                                           {"convert", 2, " CHECKPOINT CHECKPOINT", Convert},
                                           {"diff", 2, " CHECKPOINT CHECKPOINT", Diff},
                                           {"ls", 1, " RUN", ListRun},
                                           {"rm", 2, " RUN STEP", RemoveStep},
                                           {"prune", 1, " RUN", PruneRun}};
  for (const CheckpointAction& action : kActions) {
    if (arguments.front() != action.name) continue;
    if (arguments.size() == action.places + 1) return action.run(client, {arguments.begin() + 1, arguments.end()});
    return WrongUsage("usage: gcsflux checkpoint " + std::string(action.name) + std::string(action.usage));
  }
  return WrongUsage("'" + arguments.front() + "' is not one of inspect, verify, convert, diff, ls, rm and prune");
}

}  // namespace

constinit const Command kCheckpoint = {
    .name = "checkpoint",
    .arguments = "inspect|verify|convert|diff|ls|rm|prune CHECKPOINT [CHECKPOINT] | RUN [STEP]",
    .summary = "Look at checkpoints of PyTorch and safetensors, gs:// or local, and at the steps of training runs.",
    .details =
        "inspect CHECKPOINT: shows names, types, shapes and bytes of its tensors; reads only the index.\n"
        "verify CHECKPOINT: reads everything, compares it with its checksums, and shows what they cover.\n"
        "convert FROM TO: converts a file of torch.save to safetensors, or the other way round.\n"
        "With --shards=N: to N files of safetensors, as a step that N processes saved, or in a folder.\n"
        "diff FIRST SECOND: shows which tensors differ, and by how much. If one does, the exit status is 1.\n"
        "The bytes tell the format: a file of torch.save, an archive of libtorch, safetensors, or an index of them.\n"
        "No code in them is executed.\n"
        "For a training run, given by its prefix, gs://my-bucket/runs/7/:\n"
        "ls RUN: shows its steps, their bytes, times and metrics, and which steps are damaged or unfinished, and why.\n"
        "verify RUN/: reads all files and compares them with the manifests. If a step is damaged or incomplete, the\n"
        "exit status is 1.\n"
        "rm RUN STEP: removes a step, but not the last complete one. Do not remove a step that is being saved.\n"
        "prune RUN: removes complete steps, except those that --keep_last, --keep_best, --keep_every, --keep_hourly\n"
        "and --keep_daily keep. Then it removes files of unfinished saves that are older than --older_than. --dry_run\n"
        "prints what it would remove.\n"
        "--json prints one JSON object per line.\n",
    .min_arguments = 2,
    .max_arguments = 3,
    .run = RunCheckpoint,
};

}  // namespace gcsflux::cli
