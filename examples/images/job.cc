#include "images/job.h"

#include <torch/data/worker_exception.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <optional>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/flags.h"
#include "gcsflux/torch/collective.h"
#include "images/job_flags.h"
#include "one_thread.h"
#include "training_flags.h"

DEFINE_string(
    bucket, "",
    "Where images and checkpoints are: gs://name/prefix; empty: an emulator in this process, with images that "
    "the program draws");
DEFINE_string(data_dir, "",
              "Folder whose PNG and JPEG files are stored first, as far as they are missing: a directory for each "
              "class; every eighth file of a class is for the test");
DEFINE_int32(drawn_images, 0, "Images that the program draws and stores first; without --bucket at least 60");
DEFINE_string(shards, "", "Train on samples of these shards: gs://name/prefix/, or braces; see gcsflux/shards.h");
DEFINE_string(style, "map", "map: a DataLoader over a MapDataset; iterable: an IterableDataset or ShardDataset");
DEFINE_string(local_dir, "",
              "Read images from this folder in place of the bucket, to compare: a copy of --bucket, with train/ and "
              "test/");
DEFINE_int32(epochs, 3, "Epochs in all, those before a resumption included");
DEFINE_int32(save_every, 0, "Steps from one checkpoint to the next; 0: none");
DEFINE_bool(resume, false, "Go on from the newest checkpoint; ends a run that still goes on");
DEFINE_int32(side, 64, "Height and width of the images that the network gets; a multiple of 8");
DEFINE_string(summary, "", "File, or gs:// object, to write the figures to, as one line of JSON");

namespace examples {
namespace {

using gcsflux::ValueOrThrow;

constexpr const char* kEmulatorBucket = "gs://images";

std::optional<std::string> WrongFlags(const gcsflux::RunEnvironment& run) {
  if (FLAGS_epochs < 1 || FLAGS_save_every < 0 || FLAGS_drawn_images < 0) {
    return "--epochs is at least 1, --save_every and --drawn_images are at least 0";
  }
  if (FLAGS_side < 8 || FLAGS_side > 1024 || FLAGS_side % 8 != 0) return "--side is a multiple of 8, at most 1024";
  if (FLAGS_style != "map" && FLAGS_style != "iterable") return "--style is map or iterable, not " + FLAGS_style;
  if (!FLAGS_shards.empty() && !FLAGS_local_dir.empty()) return "--shards and --local_dir exclude each other";
  if (FLAGS_bucket.empty() && run.world_size > 1) return "several ranks need a --bucket that all of them see";
  return std::nullopt;
}

void RunRank(const std::string& program, const gcsflux::RunEnvironment& run, const TrainingPlace& place,
             const std::function<void(const Job& job)>& body) {
  const auto client = ValueOrThrow(gcsflux::Client::Create(place.options));
  if (FLAGS_bucket.empty()) ValueOrThrow(client.InsertBucket(place.root.bucket));
  const auto store = gcsflux::OpenProcessStore(run);
  const auto ranks = gcsflux::JoinProcesses(run, store);
  TrainingGroup group(run, store);
  body({program, run, client, place.root, *ranks, group});
}

int Failed(const std::string& program, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const torch::data::WorkerException& worker) {  // The DataLoader's wrapping.
    return Failed(program, worker.original_exception);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    std::cerr << program + ": " + text.substr(0, text.find('\n')) + "\n";
    return 1;
  }
}

}  // namespace

int RunJob(const std::string& program, const char* source, int argc, char** argv,
           const std::function<void(const Job& job)>& body) {
  if (const auto status = ReadFlags(program, source, argc, argv)) return *status;
  const auto run = gcsflux::RunEnvironment::Detect();
  if (!run.ok()) return WrongUsage(program, run.error().message);
  if (const auto wrong = WrongFlags(*run)) return WrongUsage(program, *wrong);
  if (const auto epochs = gcsflux::EpochOptionsFromFlags(); !epochs.ok()) {
    return WrongUsage(program, epochs.error().message);
  }
  auto place = PlaceOfFlags(FLAGS_bucket.empty() ? kEmulatorBucket : FLAGS_bucket);
  if (!place.ok()) return WrongUsage(program, place.error().message);
  UseOneThread();
  try {
    std::optional<gcsflux::emulator::Emulator> emulator;
    if (FLAGS_bucket.empty()) {
      emulator.emplace();
      place->options.endpoint = emulator->endpoint();
    }
    RunRank(program, *run, *place, body);
    return 0;
  } catch (...) {
    return Failed(program, std::current_exception());
  }
}

}  // namespace examples
