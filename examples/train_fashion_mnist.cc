// Trains a small network on Fashion-MNIST, every image an object of its own in Google Cloud Storage.
//
//   train_fashion_mnist                                     against an emulator inside this process
//   train_fashion_mnist --bucket=gs://name/prefix           against GCS, or where --endpoint says
//   train_fashion_mnist --bucket=gs://name/prefix --resume  goes on where an earlier process stopped or died
//   train_fashion_mnist --bucket=gs://name/prefix --data_dir=  on PNG files of yours: <prefix>/train/<label>/<name>.png
#include <gflags/gflags.h>
#include <torch/data/worker_exception.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "fashion_mnist/idx_file.h"
#include "fashion_mnist/network.h"
#include "fashion_mnist/stored_images.h"
#include "fashion_mnist/training.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/event_writer.h"
#include "gcsflux/flags.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "gcsflux/torch/data_loader.h"
#include "gcsflux/torch/map_dataset.h"
#include "one_thread.h"
#include "standard_streams.h"
#include "timed_saves.h"
#include "training_flags.h"

DEFINE_string(bucket, "", "Where images and checkpoints are: gs://name/prefix; empty: an emulator in this process");
DEFINE_string(data_dir, "/usr/share/datasets/fashion-mnist",
              "Folder of the original Fashion-MNIST .gz files; empty: the images are in --bucket already");
DEFINE_int32(train_images, 12000, "Images to train on, at most 60000");
DEFINE_int32(test_images, 2000, "Images to test with, at most 10000");
DEFINE_int32(epochs, 3, "Epochs in all, those before a resumption included");
DEFINE_int32(save_every, 50, "Batches from one checkpoint to the next; each epoch ends with one as well");
DEFINE_string(saves, "eager", "How checkpoints are saved: sync, or eager, beside the training");
DEFINE_bool(resume, false, "Go on from the newest checkpoint, at the next image; ends a run that still goes on");
DEFINE_bool(allow_changed_listing, false, "Go on though images came or went: see CheckCursor in gcsflux/epoch.h");
DEFINE_string(events, "", "Where TensorBoard's event files go: gs://name/prefix or a directory; empty: none");
DEFINE_string(summary, "", "File to write the figures to, as JSON");

namespace {

using gcsflux::Client;
using gcsflux::MapDataset;
using gcsflux::ObjectName;
using gcsflux::ValueOrThrow;

constexpr std::uint64_t kSeed = 1;
constexpr const char* kEmulatorBucket = "gs://fashion-mnist";

/// Everything this job touches is in one place of a bucket.
struct Place {
  Client client;
  ObjectName root;

  [[nodiscard]] ObjectName At(const std::string& name) const { return {root.bucket, root.name + name}; }
};

struct Images {
  MapDataset train;
  MapDataset test;
  double list_seconds;
};

struct Figures {
  EpochReport trained = {};  // Over all epochs of this process.
  examples::BlockedTime blocked = {};
  std::optional<std::string> resumed_from = {};
  std::optional<std::uint64_t> resumed_at_sample = {};  // Of all that all epochs have.
  double test_accuracy = 0;
};

// ------------------------------------------------------------------------------------------------------- images

void StoreSplit(const Place& place, const std::string& split, const std::string& idx_name, int count) {
  const LabelledImages images = ReadIdxFiles(FLAGS_data_dir, idx_name, static_cast<std::size_t>(count));
  const std::size_t stored = StoreImages(place.client, place.At(split), images);
  std::cout << "stored " << stored << " images, " << count - static_cast<int>(stored)
            << " were there: " << ToUri(place.At(split)) << "<label>/<index>.png" << std::endl;
}

// Through --listing_cache where it is given.
MapDataset TrainImages(const Place& place, const gcsflux::MapDatasetOptions& options) {
  auto listing =
      ValueOrThrow(gcsflux::ListByFlags(place.client, place.At("train/"), {.include_directory_markers = false}));
  if (listing.cache_error) std::cerr << "train_fashion_mnist: " + listing.cache_error->message + "\n";
  if (listing.is_from_cache) std::cout << "read the listing of the training images from --listing_cache" << std::endl;
  return MapDataset::OfListing(place.client, std::move(listing), DecodeImage, options);
}

Images ListImages(const Place& place) {
  const auto start = std::chrono::steady_clock::now();
  const auto options = ValueOrThrow(gcsflux::DatasetOptionsFromFlags());
  const MapDataset train = TrainImages(place, options);
  const MapDataset test(place.client, place.At("test/"), DecodeImage, options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << "listed " << train.objects().size() + test.objects().size() << " objects in " << elapsed.count() << " s"
            << std::endl;
  return {train, test, elapsed.count()};
}

// -------------------------------------------------------------------------------------------------- checkpoints

// How many images all epochs have used up to there.
std::uint64_t SamplesAt(const gcsflux::Cursor& cursor) { return cursor.epoch * cursor.listing.count + cursor.consumed; }

std::string CheckpointUri(const Place& place) { return ToUri(place.At("checkpoints")); }

std::string StepText(const Place& place, std::int64_t step) {
  return "step " + std::to_string(step) + " of " + CheckpointUri(place);
}

gcsflux::CheckpointRunOptions RunOptions() {
  return {.save_every = FLAGS_save_every, .keep = gcsflux::KeepRules{.last = 5}, .take_over = FLAGS_resume};
}

// ----------------------------------------------------------------------------------------------------- training

/// What TensorBoard and `gcsflux runs` show of the run; nothing without --events.
class Events {
 public:
  explicit Events(const Place& place) {
    if (FLAGS_events.empty()) return;
    writer_ = ValueOrThrow(gcsflux::EventWriter::Open(
        place.client, FLAGS_events,
        {.parameters = {{"train_images", std::to_string(FLAGS_train_images)}, {"saves", FLAGS_saves}}}));
  }

  void Add(std::string_view tag, double value, std::int64_t step) {
    if (writer_) writer_->AddScalar(tag, value, step);
  }
  // A run is as good without them.
  void Close(const MapDataset& images) {
    if (!writer_) return;
    writer_->SetReport(images.report());
    if (const auto closed = writer_->Close(); !closed) std::cerr << closed.error().message << std::endl;
  }

 private:
  std::optional<gcsflux::EventWriter> writer_;
};

/// A run over the epochs, which saves where it stands as it goes.
class Training {
 public:
  Training(const Place& place, const MapDataset& images)
      : place_(place),
        images_(images),
        saves_(place.client, CheckpointUri(place), RunOptions(), *examples::ParseSaveWay(FLAGS_saves)) {
    if (FLAGS_resume) Resume();
    loader_.emplace(
        gcsflux::MakeDataLoader(images_, {.seed = kSeed, .batch_size = kBatchSize},
                                {.cursor = state_.cursor, .allow_changed_listing = FLAGS_allow_changed_listing}));
  }

  /// The step that it went on from.
  [[nodiscard]] std::optional<std::int64_t> resumed() const { return resumed_; }
  [[nodiscard]] gcsflux::Cursor cursor() const { return loader_->cursor(); }
  [[nodiscard]] const examples::BlockedTime& blocked() const { return saves_.blocked(); }
  Network& network() { return network_; }

  // What is left of the epoch.
  EpochReport RunEpoch() {
    const std::uint64_t epoch = cursor().epoch + 1;
    const std::uint64_t before = cursor().consumed;
    const auto on_batch = [&](const EpochReport& report) {
      ++step_;
      events_.Add("train/loss", report.loss, step_);
      events_.Add("train/images_per_second", static_cast<double>(report.images) / report.seconds, step_);
      const bool is_last = before + report.images == images_.objects().size();
      if (is_last || saves_.run().ShouldSave(step_)) {
        Print(epoch, before + report.images, report);
        Save(report.loss);
      }
      Tell(saves_.TakeFinished());
    };
    return TrainEpoch(network_, adam_, *loader_, on_batch);
  }

  /// Waits until all is saved.
  void Finish() { Tell(saves_.Finish()); }

  void FinishEvents(double accuracy) {
    events_.Add("test/accuracy", accuracy, step_);
    events_.Close(images_);
  }

 private:
  void Resume() {
    const auto latest = saves_.run().LoadLatest(state_);
    if (!latest) {
      std::cout << "no checkpoint yet: starting with epoch 1" << std::endl;
      return;
    }
    step_ = latest->number;
    resumed_ = step_;
    for (const gcsflux::Step& skipped : latest->skipped) {
      std::cout << "passed over step " << skipped.number << ": " << skipped.problem->message << std::endl;
    }
  }

  void Print(std::uint64_t epoch, std::uint64_t images, const EpochReport& report) const {
    std::printf("epoch %d/%d  %6zu/%zu images  loss %.3f  %5.0f images/s  waiting for data %2.0f %%\n",
                static_cast<int>(epoch), FLAGS_epochs, static_cast<std::size_t>(images), images_.objects().size(),
                report.loss, static_cast<double>(report.images) / report.seconds,
                100 * report.waiting_seconds / report.seconds);
    std::fflush(stdout);
  }

  void Save(double loss) {
    state_.cursor = cursor();
    saves_.Save(step_, state_, {.metrics = {{"loss", loss}}});
  }

  void Tell(const std::vector<examples::FinishedSave>& finished) const {
    for (const examples::FinishedSave& save : finished) {
      if (save.error) throw gcsflux::StorageError(*save.error);
      std::cout << "saved " << StepText(place_, save.step) << std::endl;
    }
  }

  const Place& place_;
  const MapDataset& images_;
  examples::TimedSaves saves_;
  Events events_{place_};
  Network network_;
  torch::optim::Adam adam_{network_.parameters()};
  gcsflux::RunState state_{.modules = {{"model", &network_}}, .optimizers = {{"optimizer", &adam_}}};
  std::int64_t step_ = 0;  // Batches of all epochs.
  std::optional<std::int64_t> resumed_;
  std::optional<gcsflux::DataLoader<>> loader_;
};

Figures Train(const Place& place, const Images& images) {
  torch::manual_seed(kSeed);
  Training training(place, images.train);
  Figures figures;
  if (const auto step = training.resumed()) {
    figures.resumed_from = StepText(place, *step);
    figures.resumed_at_sample = SamplesAt(training.cursor());
    std::cout << "resumed from " << *figures.resumed_from << ", epoch " << training.cursor().epoch + 1 << " at image "
              << training.cursor().consumed << std::endl;
  }
  while (training.cursor().epoch < static_cast<std::uint64_t>(FLAGS_epochs)) {
    const EpochReport report = training.RunEpoch();
    figures.trained.images += report.images;
    figures.trained.seconds += report.seconds;
    figures.trained.waiting_seconds += report.waiting_seconds;
  }
  training.Finish();
  figures.blocked = training.blocked();
  figures.test_accuracy = Accuracy(training.network(), images.test);
  training.FinishEvents(figures.test_accuracy);
  std::cout << "test accuracy " << figures.test_accuracy << std::endl;
  return figures;
}

// Without --resume a run begins where there is none yet.
void RefuseEarlierRun(const Place& place) {
  if (FLAGS_resume) return;
  const auto latest = gcsflux::CheckpointRun(place.client, CheckpointUri(place)).Latest();
  if (!latest) return;
  throw std::runtime_error(StepText(place, latest->number) +
                           " is of an earlier run: go on from it with --resume, or name another place with --bucket");
}

void WriteSummary(const Images& images, const Figures& figures) {
  const EpochReport& trained = figures.trained;
  nlohmann::ordered_json summary = {
      {"objects", images.train.objects().size() + images.test.objects().size()},
      {"list_seconds", images.list_seconds},
      {"images_per_second", trained.images == 0 ? 0 : static_cast<double>(trained.images) / trained.seconds},
      {"wait_share", trained.images == 0 ? 0 : trained.waiting_seconds / trained.seconds},
      {"save_mode", FLAGS_saves},
      {"saves", figures.blocked.saves},
      {"blocked_seconds", figures.blocked.seconds},
      {"blocked_share", trained.images == 0 ? 0 : figures.blocked.seconds / trained.seconds},
      {"epochs", FLAGS_epochs},
      {"resumed_from", nullptr},
      {"resumed_at_sample", nullptr},
      {"test_accuracy", figures.test_accuracy},
  };
  if (figures.resumed_from) summary["resumed_from"] = *figures.resumed_from;
  if (figures.resumed_at_sample) summary["resumed_at_sample"] = *figures.resumed_at_sample;
  std::ofstream file(FLAGS_summary);
  if (!(file << summary.dump(2) << std::endl)) throw std::runtime_error("cannot write " + FLAGS_summary);
}

void Run(const Place& place) {
  RefuseEarlierRun(place);
  if (!FLAGS_data_dir.empty()) {
    StoreSplit(place, "train/", "train", FLAGS_train_images);
    StoreSplit(place, "test/", "t10k", FLAGS_test_images);
  }
  const Images images = ListImages(place);
  const Figures figures = Train(place, images);
  if (!FLAGS_summary.empty()) WriteSummary(images, figures);
}

void RunInEmulator(gcsflux::ClientOptions options, const ObjectName& root) {
  const gcsflux::emulator::Emulator emulator;
  options.endpoint = emulator.endpoint();
  const Place place{ValueOrThrow(Client::Create(options)), root};
  ValueOrThrow(place.client.InsertBucket(root.bucket));
  Run(place);
}

// ------------------------------------------------------------------------------------------------- command line

int WrongUsage(const std::string& what) { return examples::WrongUsage("train_fashion_mnist", what); }

int Failed(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const torch::data::WorkerException& worker) {  // The DataLoader's wrapping.
    return Failed(worker.original_exception);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    std::cerr << "train_fashion_mnist: " + text.substr(0, text.find('\n')) + "\n";
    return 1;
  }
}

int RunProgram(int argc, char** argv) {
  if (const auto status = examples::ReadFlags("train_fashion_mnist", __FILE__, argc, argv)) return *status;
  if (FLAGS_epochs < 1 || FLAGS_train_images < 1 || FLAGS_test_images < 1 || FLAGS_save_every < 1) {
    return WrongUsage("--epochs, --train_images, --test_images and --save_every are at least 1");
  }
  // A lazy save copies beside the forward pass, in which BatchNorm changes its buffers.
  if (FLAGS_saves != "sync" && FLAGS_saves != "eager")
    return WrongUsage("--saves is sync or eager, not " + FLAGS_saves);
  if (FLAGS_data_dir.empty() && FLAGS_bucket.empty()) return WrongUsage("without --data_dir, --bucket has the images");
  const auto place = examples::PlaceOfFlags(FLAGS_bucket.empty() ? kEmulatorBucket : FLAGS_bucket);
  if (!place.ok()) return WrongUsage(place.error().message);

  examples::UseOneThread();

  try {
    if (FLAGS_bucket.empty()) {
      RunInEmulator(place->options, place->root);
    } else {
      Run({ValueOrThrow(Client::Create(place->options)), place->root});
    }
    return 0;
  } catch (...) {
    return Failed(std::current_exception());
  }
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  return examples::FlushOutput("train_fashion_mnist", RunProgram(argc, argv));
}
