// Trains a small transformer to continue text, character by character. The text, the licences that every Debian has, is
// stored in a bucket, a piece an object. Every --save_every steps the state is saved; a process that is started again
// goes on at the newest step, as if it had not stopped. On SIGTERM it saves the step it is at, and ends.
//
//   train_text                            against an emulator inside this process, once for each way to save
//   train_text --bucket=gs://name/prefix --saves=lazy    against GCS, or where --endpoint says
#include <ATen/CPUGeneratorImpl.h>
#include <gflags/gflags.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/emulator/emulator.h"
#include "gcsflux/flags.h"
#include "gcsflux/preemption_notice.h"
#include "gcsflux/torch/checkpoint_run.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "one_thread.h"
#include "standard_streams.h"
#include "text/network.h"
#include "text/stored_text.h"
#include "timed_saves.h"
#include "training_flags.h"

DEFINE_string(bucket, "", "Where text and steps are: gs://name/prefix; empty: an emulator in this process");
DEFINE_string(text_dir, "/usr/share/common-licenses", "Directory whose files are the text");
DEFINE_int64(steps, 200, "Steps in all, those before a resumption included");
DEFINE_int64(save_every, 20, "Steps from one save to the next");
DEFINE_string(saves, "sync,eager,lazy", "Ways to save, separated by commas; each trains a run of its own, runs/<way>");
DEFINE_int64(width, 64, "Width of the network, a multiple of 4");
DEFINE_int64(layers, 2, "Layers of the network");
DEFINE_string(log, "", "File to write a line for each step to: run, step, loss and the batch's objects");
DEFINE_bool(watch_metadata, false, "Ask the metadata server whether the machine is taken away; for Spot machines");
DEFINE_int64(finish_within_s, 20, "Seconds that the end waits for saves in flight, before it cancels them");

namespace {

using examples::BlockedTime;
using examples::FinishedSave;
using gcsflux::Client;
using gcsflux::ObjectName;
using gcsflux::ValueOrThrow;

using TextDataset = gcsflux::BasicIterableDataset<TextPiece>;
using TextBatch = gcsflux::Batch<TextPiece>;

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kBatchSize = 16;
constexpr double kLearningRate = 3e-3;
constexpr const char* kEmulatorBucket = "gs://text";
constexpr int kPreempted = 143;  // As a process that SIGTERM ended.

/// Everything this job touches is in one place of a bucket.
struct Place {
  Client client;
  ObjectName root;

  [[nodiscard]] ObjectName At(const std::string& name) const { return {root.bucket, root.name + name}; }
};

/// A row of the closing table.
struct Row {
  std::string way;
  std::int64_t steps = 0;  // Of this process.
  double seconds = 0;
  BlockedTime blocked = {};
};

gcsflux::CheckpointRunOptions RunOptions() {
  return {.save_every = FLAGS_save_every,
          .keep = gcsflux::KeepRules{.last = 3},
          .take_over = true,  // Of this job's last process, if that was killed.
          // A save at the end never waits for one that cannot go on: two have memory, and the older makes room.
          .async = {.when_busy = gcsflux::WhenBusy::kReplace,
                    .max_in_flight = 2,
                    .end_deadline = std::chrono::seconds(FLAGS_finish_within_s)}};
}

// ------------------------------------------------------------------------------------------------------------ training

/// One run, whose saves go one way.
class Training {
 public:
  Training(const Place& place, const std::string& way, std::ostream& log)
      : way_(way),
        log_(log),
        dataset_(place.client, place.At("text/"), DecodePiece, {.seed = kSeed, .batch_size = kBatchSize}),
        saves_(place.client, ToUri(place.At("runs/" + way)), RunOptions(), *examples::ParseSaveWay(way)) {
    const auto latest = saves_.run().LoadLatest(state_);
    if (latest) step_ = saved_ = latest->number;
    for (const auto& skipped : latest ? latest->skipped : std::vector<gcsflux::Step>()) {
      std::cout << way_ << ": passed over step " << skipped.number << ": " << skipped.problem->message << std::endl;
    }
    std::cout << way_ << (latest ? ": resumed at step " : ": began at step ") << step_ << std::endl;
  }

  Row Run(const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t first = step_;
    std::optional<gcsflux::Cursor> cursor = state_.cursor;
    while (step_ < FLAGS_steps && !stop.stop_requested()) {
      for (const TextBatch& batch : dataset_.Epoch(std::exchange(cursor, std::nullopt))) {
        if (step_ == FLAGS_steps || stop.stop_requested()) break;
        Step(batch);
      }
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    Row row{way_, step_ - first, elapsed.count(), saves_.blocked()};
    if (step_ > saved_) Save();
    Tell(saves_.Finish());
    return row;
  }

 private:
  void Step(const TextBatch& batch) {
    std::vector<torch::Tensor> pieces;
    for (const TextPiece& piece : batch.samples) pieces.push_back(piece.characters);
    const torch::Tensor text = torch::stack(pieces);
    adam_.zero_grad();
    const torch::Tensor scores = network_.forward(text.narrow(1, 0, kContext));
    const torch::Tensor loss = torch::nn::functional::cross_entropy(scores.reshape({-1, kAlphabet}),
                                                                    text.narrow(1, 1, kContext).reshape({-1}));
    loss.backward();
    saves_.AwaitCopy();
    adam_.step();
    ++step_;
    state_.cursor = batch.cursor;
    loss_ = loss.item<double>();
    Log(batch);
    if (saves_.run().ShouldSave(step_)) Save();
    Tell(saves_.TakeFinished());
  }

  void Save() {
    std::printf("%s: step %lld, loss %.3f\n", way_.c_str(), static_cast<long long>(step_), loss_);
    std::fflush(stdout);
    saves_.Save(step_, state_, {.metrics = {{"loss", loss_}}});
    saved_ = step_;
  }

  void Tell(const std::vector<FinishedSave>& finished) const {
    for (const FinishedSave& save : finished) {
      if (!save.error) {
        std::cout << way_ << ": saved step " << save.step << std::endl;
      } else if (save.step == step_) {
        throw std::runtime_error("step " + std::to_string(save.step) + " was not saved: " + save.error->message);
      } else {
        std::cerr << way_ + ": step " + std::to_string(save.step) + " was not saved: " + save.error->message + "\n";
      }
    }
  }

  void Log(const TextBatch& batch) const {
    log_ << way_ << ' ' << step_ << ' ' << std::hexfloat << loss_;
    for (const TextPiece& piece : batch.samples) log_ << ' ' << piece.object;
    log_ << std::endl;
  }

  const std::string way_;
  std::ostream& log_;
  TextDataset dataset_;
  examples::TimedSaves saves_;
  TextNetwork network_{FLAGS_width, FLAGS_layers};
  torch::optim::Adam adam_{network_.parameters(), torch::optim::AdamOptions(kLearningRate)};
  gcsflux::RunState state_{.modules = {{"model", &network_}},
                           .optimizers = {{"optimizer", &adam_}},
                           .generators = {{"cpu", at::detail::getDefaultCPUGenerator()}}};
  std::int64_t step_ = 0;
  std::int64_t saved_ = 0;  // The last step that was given to saves_, or loaded.
  double loss_ = 0;
};

void Print(const std::vector<Row>& rows) {
  std::printf("\nsaves   steps  saves  blocked by the first  by each later one  of the time\n");
  for (const Row& row : rows) {
    const BlockedTime& blocked = row.blocked;
    const double later = blocked.saves < 2 ? 0 : (blocked.seconds - blocked.first_seconds) / (blocked.saves - 1);
    const double share = row.seconds == 0 ? 0 : blocked.seconds / row.seconds;
    std::printf("%-6s  %5lld  %5d  %17.2f ms  %14.2f ms  %9.2f %%\n", row.way.c_str(),
                static_cast<long long>(row.steps), blocked.saves, 1e3 * blocked.first_seconds, 1e3 * later,
                100 * share);
  }
  std::fflush(stdout);
}

std::vector<std::string> Ways() {
  std::vector<std::string> ways;
  std::istringstream list(FLAGS_saves);
  for (std::string way; std::getline(list, way, ',');) ways.push_back(way);
  return ways;
}

int TrainEachWay(const Place& place) {
  const auto notice =
      ValueOrThrow(gcsflux::PreemptionNotice::Watch(place.client, {.on_metadata = FLAGS_watch_metadata}));
  std::ofstream log;
  if (!FLAGS_log.empty()) {
    log.open(FLAGS_log);
    if (!log) throw std::runtime_error("cannot write " + FLAGS_log);
  }
  std::vector<Row> rows;
  for (const std::string& way : Ways()) {
    if (notice.token().stop_requested()) break;
    torch::manual_seed(kSeed);
    rows.push_back(Training(place, way, log).Run(notice.token()));
  }
  Print(rows);
  if (!notice.cause()) return 0;
  std::cout << "ended by a preemption notice; start this program again to go on" << std::endl;
  return kPreempted;
}

void Store(const Place& place) {
  const std::size_t stored = StoreText(place.client, place.At("text/"), FLAGS_text_dir);
  std::cout << "stored " << stored << " pieces of text that were not there: " << ToUri(place.At("text/")) << std::endl;
}

int RunInEmulator(gcsflux::ClientOptions options, const ObjectName& root) {
  gcsflux::emulator::Emulator emulator;
  options.endpoint = emulator.endpoint();
  const Place place{ValueOrThrow(Client::Create(options)), root};
  ValueOrThrow(place.client.InsertBucket(root.bucket));
  Store(place);
  emulator.shaping().Set(gcsflux::emulator::ShapingProfile("gcs"));  // As slow as Google's, from here on.
  return TrainEachWay(place);
}

// -------------------------------------------------------------------------------------------------------- command line

int WrongUsage(const std::string& what) { return examples::WrongUsage("train_text", what); }

std::string WhatIsWrong() {
  if (FLAGS_steps < 1 || FLAGS_save_every < 1 || FLAGS_layers < 1) {
    return "--steps, --save_every and --layers are at least 1";
  }
  if (FLAGS_width < 4 || FLAGS_width % 4 != 0) return "--width is a multiple of 4";
  if (FLAGS_finish_within_s < 0) return "--finish_within_s is at least 0";
  for (const std::string& way : Ways()) {
    if (!examples::ParseSaveWay(way)) return "--saves: '" + way + "' is neither sync, eager nor lazy";
  }
  return Ways().empty() ? "--saves names no way" : "";
}

int RunProgram(int argc, char** argv) {
  if (const auto status = examples::ReadFlags("train_text", __FILE__, argc, argv)) return *status;
  if (const std::string wrong = WhatIsWrong(); !wrong.empty()) return WrongUsage(wrong);
  const auto place = examples::PlaceOfFlags(FLAGS_bucket.empty() ? kEmulatorBucket : FLAGS_bucket);
  if (!place.ok()) return WrongUsage(place.error().message);

  examples::UseOneThread();
  try {
    if (FLAGS_bucket.empty()) return RunInEmulator(place->options, place->root);
    const Place stored{ValueOrThrow(Client::Create(place->options)), place->root};
    Store(stored);
    return TrainEachWay(stored);
  } catch (const std::exception& failure) {
    const std::string text = failure.what();
    std::cerr << "train_text: " + text.substr(0, text.find('\n')) + "\n";
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  return examples::FlushOutput("train_text", RunProgram(argc, argv));
}
