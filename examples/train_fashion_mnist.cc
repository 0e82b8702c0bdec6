// Trains a small network on Fashion-MNIST, every image an object of its own in Google Cloud Storage.
//
//   train_fashion_mnist                                     against an emulator inside this process
//   train_fashion_mnist --bucket=gs://name/prefix           against GCS, or where --endpoint says
//   train_fashion_mnist --bucket=gs://name/prefix --resume  goes on where an earlier process stopped or died
#include <ATen/Parallel.h>
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
#include <utility>

#include "fashion_mnist/idx_file.h"
#include "fashion_mnist/network.h"
#include "fashion_mnist/stored_images.h"
#include "fashion_mnist/training.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/flags.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/checkpoint.h"
#include "gcsflux/torch/epoch_sampler.h"
#include "gcsflux/torch/map_dataset.h"
#include "standard_streams.h"

DEFINE_string(bucket, "", "Where images and checkpoints are: gs://name/prefix; empty: an emulator in this process");
DEFINE_string(data_dir, "/usr/share/datasets/fashion-mnist", "Folder of the original Fashion-MNIST .gz files");
DEFINE_int32(train_images, 12000, "Images to train on, at most 60000");
DEFINE_int32(test_images, 2000, "Images to test with, at most 10000");
DEFINE_int32(epochs, 3, "Epochs in all, those before a resumption included");
DEFINE_int32(checkpoint_every, 50, "Batches from one checkpoint to the next; each epoch ends with one as well");
DEFINE_bool(resume, false, "Go on from the newest checkpoint, at the next image");
DEFINE_bool(allow_changed_listing, false, "Go on though images came or went: see CheckCursor in gcsflux/epoch.h");
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
  std::optional<ObjectName> resumed_from = {};
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
  return MapDataset::OfListing(place.client, std::move(listing.snapshot), DecodeImage, options);
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

// Zero-padded, so that the newest is the last in GCS's bytewise order of names.
ObjectName CheckpointAt(const Place& place, const gcsflux::Cursor& cursor) {
  const std::string digits = std::to_string(SamplesAt(cursor));
  constexpr std::size_t kWidth = 12;
  return place.At("checkpoints/sample-" + std::string(kWidth - std::min(kWidth, digits.size()), '0') + digits + ".pt");
}

std::optional<ObjectName> NewestCheckpoint(const Place& place) {
  const auto listing = ValueOrThrow(ListPrefix(place.client, place.At("checkpoints/sample-")));
  if (listing.objects.empty()) return std::nullopt;
  return ObjectName{listing.objects.back().bucket, listing.objects.back().name};
}

/// What to resume from; nothing where this run begins anew.
std::optional<ObjectName> ChooseCheckpoint(const Place& place) {
  std::optional<ObjectName> newest = NewestCheckpoint(place);
  if (newest && !FLAGS_resume) {
    throw std::runtime_error(ToUri(*newest) +
                             " is of an earlier run: go on from it with --resume, or name another "
                             "place with --bucket");
  }
  if (!newest && FLAGS_resume) std::cout << "no checkpoint yet: starting with epoch 1" << std::endl;
  return newest;
}

// ----------------------------------------------------------------------------------------------------- training

/// A run over the epochs, which saves where it stands as it goes.
class Training {
 public:
  Training(const Place& place, const MapDataset& images, const std::optional<ObjectName>& checkpoint)
      : place_(place), images_(images) {
    if (checkpoint) LoadCheckpoint(place_.client, *checkpoint, state_);
    std::optional<gcsflux::Cursor> cursor;
    if (checkpoint) cursor = ValueOrThrow(gcsflux::ParseCursor(state_.texts.at("cursor")));
    sampler_.emplace(images_, gcsflux::EpochOptions{.seed = kSeed, .batch_size = kBatchSize}, cursor,
                     FLAGS_allow_changed_listing);
  }

  [[nodiscard]] gcsflux::Cursor cursor() const { return sampler_->cursor(); }
  Network& network() { return network_; }

  // What is left of the epoch.
  EpochReport RunEpoch() {
    const std::uint64_t epoch = cursor().epoch + 1;
    const std::uint64_t before = cursor().consumed;
    std::size_t batches = 0;
    const auto on_batch = [&](const EpochReport& report) {
      const bool is_last = before + report.images == images_.objects().size();
      const bool is_due = ++batches % static_cast<std::size_t>(FLAGS_checkpoint_every) == 0;
      if (is_last || is_due) Print(epoch, before + report.images, report);
      if (is_last || is_due) Save();
    };
    return TrainEpoch(network_, adam_, images_, *sampler_, on_batch);
  }

 private:
  void Print(std::uint64_t epoch, std::uint64_t images, const EpochReport& report) const {
    std::printf("epoch %d/%d  %6zu/%zu images  loss %.3f  %5.0f images/s  waiting for data %2.0f %%\n",
                static_cast<int>(epoch), FLAGS_epochs, static_cast<std::size_t>(images), images_.objects().size(),
                report.loss, static_cast<double>(report.images) / report.seconds,
                100 * report.waiting_seconds / report.seconds);
    std::fflush(stdout);
  }

  void Save() {
    state_.texts["cursor"] = FormatCursor(cursor());
    SaveCheckpoint(place_.client, CheckpointAt(place_, cursor()), state_,
                   {.upload = {.mode = gcsflux::WriteMode::kCreate}});
    std::cout << "saved " << ToUri(CheckpointAt(place_, cursor())) << std::endl;
  }

  const Place& place_;
  const MapDataset& images_;
  Network network_;
  torch::optim::Adam adam_{network_.parameters()};
  gcsflux::TrainingState state_{.module = &network_, .optimizer = &adam_};
  std::optional<gcsflux::EpochSampler> sampler_;
};

Figures Train(const Place& place, const Images& images, const std::optional<ObjectName>& checkpoint) {
  torch::manual_seed(kSeed);
  Training training(place, images.train, checkpoint);
  Figures figures{.resumed_from = checkpoint};
  if (checkpoint) {
    figures.resumed_at_sample = SamplesAt(training.cursor());
    std::cout << "resumed from " << ToUri(*checkpoint) << ", epoch " << training.cursor().epoch + 1 << " at image "
              << training.cursor().consumed << std::endl;
  }
  while (training.cursor().epoch < static_cast<std::uint64_t>(FLAGS_epochs)) {
    const EpochReport report = training.RunEpoch();
    figures.trained.images += report.images;
    figures.trained.seconds += report.seconds;
    figures.trained.waiting_seconds += report.waiting_seconds;
  }
  figures.test_accuracy = Accuracy(training.network(), images.test);
  std::cout << "test accuracy " << figures.test_accuracy << std::endl;
  return figures;
}

void WriteSummary(const Images& images, const Figures& figures) {
  const EpochReport& trained = figures.trained;
  nlohmann::ordered_json summary = {
      {"objects", images.train.objects().size() + images.test.objects().size()},
      {"list_seconds", images.list_seconds},
      {"images_per_second", trained.images == 0 ? 0 : static_cast<double>(trained.images) / trained.seconds},
      {"wait_share", trained.images == 0 ? 0 : trained.waiting_seconds / trained.seconds},
      {"epochs", FLAGS_epochs},
      {"resumed_from", nullptr},
      {"resumed_at_sample", nullptr},
      {"test_accuracy", figures.test_accuracy},
  };
  if (figures.resumed_from) summary["resumed_from"] = ToUri(*figures.resumed_from);
  if (figures.resumed_at_sample) summary["resumed_at_sample"] = *figures.resumed_at_sample;
  std::ofstream file(FLAGS_summary);
  if (!(file << summary.dump(2) << std::endl)) throw std::runtime_error("cannot write " + FLAGS_summary);
}

void Run(const Place& place) {
  const std::optional<ObjectName> checkpoint = ChooseCheckpoint(place);
  StoreSplit(place, "train/", "train", FLAGS_train_images);
  StoreSplit(place, "test/", "t10k", FLAGS_test_images);
  const Images images = ListImages(place);
  const Figures figures = Train(place, images, checkpoint);
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

int WrongUsage(const std::string& what) {
  std::cerr << "train_fashion_mnist: " + what + "\n";
  return 2;
}

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
  const auto arguments = gcsflux::ParseFlags(argc, argv);
  if (!arguments.ok()) return WrongUsage(arguments.error().message);
  if (gcsflux::HelpRequested()) {
    std::cout << gcsflux::FlagsHelp(__FILE__);
    return 0;
  }
  if (!arguments->empty()) return WrongUsage("unexpected argument '" + arguments->front() + "'; see --help");
  if (FLAGS_epochs < 1 || FLAGS_train_images < 1 || FLAGS_test_images < 1 || FLAGS_checkpoint_every < 1) {
    return WrongUsage("--epochs, --train_images, --test_images and --checkpoint_every are at least 1");
  }
  const auto options = gcsflux::ClientOptionsFromFlags();
  if (!options.ok()) return WrongUsage(options.error().message);
  auto root = gcsflux::ParseUri(FLAGS_bucket.empty() ? kEmulatorBucket : FLAGS_bucket);
  if (!root.ok()) return WrongUsage(root.error().message);
  if (!root->name.empty() && !root->name.ends_with('/')) root->name += '/';

  // Threads that share one operation spin while they wait for each other, and the loader's workers need a core too.
  at::set_num_threads(1);

  try {
    if (FLAGS_bucket.empty()) {
      RunInEmulator(*options, *root);
    } else {
      Run({ValueOrThrow(Client::Create(*options)), *root});
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
