// Trains on Fashion-MNIST by several processes, each with a share of every batch and of the optimizer's state:
//
//   scripts/run_ranks 4 -- train_distributed --endpoint=... --bucket=gs://name/prefix
//
// Each process is told by its launcher which rank it is (gcsflux/run_environment.h). All save checkpoints together,
// beside the training. A job that is started again, with any number of ranks, goes on from the newest one at the next
// image. docs/distributed.md tells how to start it on Slurm and Kubernetes.
#include <gflags/gflags.h>
#include <signal.h>
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/utils.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "distributed/training_group.h"
#include "fashion_mnist/idx_file.h"
#include "fashion_mnist/stored_images.h"
#include "gcsflux/flags.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "gcsflux/torch/collective.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "one_thread.h"
#include "standard_streams.h"
#include "training_flags.h"

DEFINE_string(bucket, "", "Where images and checkpoints are: gs://name/prefix");
DEFINE_string(data_dir, "/usr/share/datasets/fashion-mnist", "Folder of the original Fashion-MNIST .gz files");
DEFINE_int32(train_images, 9600, "Images to train on: a multiple of --global_batch, at most 60000");
DEFINE_int32(global_batch, 64, "Images of a step of all ranks together: a multiple of their number");
DEFINE_int32(epochs, 1, "Epochs in all, those before a resumption included");
DEFINE_int32(save_every, 50, "Steps from one checkpoint to the next");
DEFINE_bool(print_names, false, "Each rank prints the images that it uses");
DEFINE_int32(dying_rank, -1, "This rank kills itself in the middle of a save, to show what happens then");
DEFINE_int32(dying_step, 0, "The step whose save it does not survive");

namespace {

using examples::TrainingGroup;
using gcsflux::Collective;
using gcsflux::ObjectName;
using gcsflux::RunEnvironment;
using gcsflux::ValueOrThrow;
using Image = torch::data::Example<>;

constexpr std::uint64_t kSeed = 1;

struct NamedImage {
  Image image = {};
  std::string name = {};
};
using Images = gcsflux::BasicIterableDataset<NamedImage>;

/// What all parts of the job need.
struct Job {
  const RunEnvironment& run;
  const gcsflux::Client& client;
  ObjectName root;
  Collective& ranks;

  [[nodiscard]] ObjectName At(const std::string& name) const { return {root.bucket, root.name + name}; }
};

// Rank 0 stores the images and lists them; the others read its listing.
gcsflux::Listing ShareListing(const Job& job) {
  if (job.run.rank == 0) {
    const auto images = ReadIdxFiles(FLAGS_data_dir, "train", static_cast<std::size_t>(FLAGS_train_images));
    StoreImages(job.client, job.At("train/"), images);
    auto listing = ValueOrThrow(gcsflux::ListByFlags(job.client, job.At("train/"), {}));
    ValueOrThrow(gcsflux::SaveListing(job.client, job.At("train.listing"), listing));
  }
  ValueOrThrow(gcsflux::Barrier(job.ranks, std::chrono::minutes(30)));
  return ValueOrThrow(gcsflux::LoadListing(job.client, job.At("train.listing")));
}

NamedImage Decode(const gcsflux::ListedObject& object, std::span<const std::byte> bytes) {
  return {DecodeImage(object, bytes), object.name};
}

Images OpenImages(const Job& job) {
  const auto ranks = static_cast<std::uint64_t>(job.run.world_size);
  auto images = Images::OfListing(job.client, ShareListing(job), Decode,
                                  {.seed = kSeed,
                                   .batch_size = static_cast<std::uint64_t>(FLAGS_global_batch) / ranks,
                                   .rank = static_cast<std::uint64_t>(job.run.rank),
                                   .world_size = ranks});
  ValueOrThrow(gcsflux::CheckSameListing(job.ranks, images.cursor().listing));
  return images;
}

class Training {
 public:
  explicit Training(const Job& job, TrainingGroup& group)
      : job_(job),
        group_(group),
        run_(job.client, ToUri(job.At("checkpoints")), job.ranks,
             {.save_every = FLAGS_save_every, .keep = gcsflux::KeepRules{.last = 3}, .take_over = true}) {
    if (const auto latest = run_.LoadLatest(state_)) steps_ = latest->number;
  }

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] const std::optional<gcsflux::Cursor>& cursor() const { return state_.cursor; }

  void Step(const gcsflux::Batch<NamedImage>& batch) {
    std::vector<at::Tensor> pixels;
    std::vector<at::Tensor> labels;
    for (const NamedImage& sample : batch.samples) {
      pixels.push_back(sample.image.data);
      labels.push_back(sample.image.target);
    }
    model_->zero_grad();
    // The sum over all ranks is then the mean over the global batch.
    const at::Tensor scores = model_->forward(torch::stack(pixels).to(torch::kFloat32).div_(255).flatten(1));
    const auto sum = torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum);
    at::Tensor loss = torch::nn::functional::cross_entropy(scores, torch::stack(labels), sum) / FLAGS_global_batch;
    loss.backward();
    AddUpGradients();
    adam_.step();
    ++steps_;
    at::Tensor shown = loss.detach();
    group_.AddUp(shown);
    Tell(batch, shown.item<double>());
    state_.cursor = batch.cursor;
    if (run_.ShouldSave(steps_)) Save(shown.item<double>());
  }

  /// Waits for the last save.
  void Finish() {
    if (pending_) TellSaved();
  }

 private:
  // One sum for all parameters.
  void AddUpGradients() {
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : model_->parameters()) gradients.push_back(parameter.grad().flatten());
    at::Tensor sum = torch::cat(gradients);
    group_.AddUp(sum);
    std::int64_t begin = 0;
    for (const at::Tensor& parameter : model_->parameters()) {
      parameter.grad().copy_(sum.slice(0, begin, begin + parameter.numel()).view_as(parameter));
      begin += parameter.numel();
    }
  }

  void Tell(const gcsflux::Batch<NamedImage>& batch, double loss) const {
    std::string lines;
    if (FLAGS_print_names) {
      for (const NamedImage& sample : batch.samples) {
        lines += "step " + std::to_string(steps()) + " used " + sample.name + "\n";
      }
    }
    if (job_.run.rank == 0) {
      char line[64];
      std::snprintf(line, sizeof(line), "step %d loss %.8f\n", static_cast<int>(steps()), loss);
      lines += line;
    }
    std::cout << lines << std::flush;
  }

  void Save(double loss) {
    if (pending_) TellSaved();
    pending_ = run_.SaveAsync(steps(), state_, {.metrics = {{"loss", loss}}});
    if (job_.run.rank == FLAGS_dying_rank && steps() == FLAGS_dying_step) {
      std::cout << "killed in the save of step " << steps() << std::endl;
      ::raise(SIGKILL);
    }
  }

  void TellSaved() {
    const auto saved = ValueOrThrow(std::exchange(pending_, std::nullopt)->WaitCommitted());
    if (job_.run.rank != 0) return;
    std::cout << "saved step " << saved.step.number << ": " << saved.step.files.size() << " files" << std::endl;
  }

  const Job& job_;
  TrainingGroup& group_;
  torch::nn::Sequential model_{torch::nn::Linear(28 * 28, 32), torch::nn::ReLU(), torch::nn::Linear(32, 10)};
  torch::optim::Adam adam_{model_->parameters()};
  gcsflux::RunState state_{.modules = {{"model", &*model_}}, .optimizers = {{"adam", &adam_}}};
  std::int64_t steps_ = 0;
  gcsflux::CheckpointRun run_;
  std::optional<gcsflux::PendingSave> pending_;
};

void Train(const Job& job, TrainingGroup& group) {
  torch::manual_seed(kSeed);  // All ranks begin with the same parameters.
  const Images images = OpenImages(job);
  Training training(job, group);
  std::optional<gcsflux::Cursor> begin = training.cursor();
  if (begin && job.run.rank == 0) {
    std::cout << "resumed from step " << training.steps() << " with " << job.run.world_size << " ranks, at image "
              << begin->consumed << " of epoch " << begin->epoch + 1 << std::endl;
  }
  for (auto epoch = begin ? begin->epoch : 0; epoch < static_cast<std::uint64_t>(FLAGS_epochs); ++epoch) {
    for (const auto& batch : images.Epoch(std::exchange(begin, std::nullopt))) training.Step(batch);
  }
  training.Finish();
  if (job.run.rank == 0) std::cout << "trained " << training.steps() << " steps" << std::endl;
}

std::optional<std::string> WrongFlags(const RunEnvironment& run) {
  if (FLAGS_bucket.empty()) return "--bucket is needed; scripts/demo --ranks=4 shows all of it with an emulator";
  if (FLAGS_epochs < 1 || FLAGS_save_every < 1 || FLAGS_global_batch < 1 || FLAGS_train_images < 1) {
    return "--epochs, --save_every, --global_batch and --train_images are at least 1";
  }
  if (FLAGS_global_batch % run.world_size != 0 || FLAGS_train_images % FLAGS_global_batch != 0) {
    return "--global_batch must be a multiple of the " + std::to_string(run.world_size) +
           " ranks, and --train_images one of --global_batch";
  }
  return std::nullopt;
}

int Wrong(const std::string& what) { return examples::WrongUsage("train_distributed", what); }

int RunProgram(int argc, char** argv) {
  if (const auto status = examples::ReadFlags("train_distributed", __FILE__, argc, argv)) return *status;
  const auto run = RunEnvironment::Detect();
  if (!run.ok()) return Wrong(run.error().message);
  if (const auto wrong = WrongFlags(*run)) return Wrong(*wrong);
  const auto place = examples::PlaceOfFlags(FLAGS_bucket);
  if (!place.ok()) return Wrong(place.error().message);
  examples::UseOneThread();
  try {
    const auto client = ValueOrThrow(gcsflux::Client::Create(place->options));
    const auto store = gcsflux::OpenProcessStore(*run);
    const auto ranks = gcsflux::JoinProcesses(*run, store);
    TrainingGroup group(*run, store);
    Train({*run, client, place->root, *ranks}, group);
    return 0;
  } catch (const std::exception& failure) {
    const std::string text = failure.what();
    std::cerr << "train_distributed: " + text.substr(0, text.find('\n')) + "\n";
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  return examples::FlushOutput("train_distributed", RunProgram(argc, argv));
}
