#include "images/training.h"

#include <torch/optim/adam.h>
#include <torch/types.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gcsflux/torch/checkpoint_run.h"
#include "images/figures.h"
#include "images/job_flags.h"

namespace examples {
namespace {

using Clock = std::chrono::steady_clock;
using gcsflux::Cursor;
using gcsflux::ValueOrThrow;

constexpr std::int64_t kMostCursorBytes = 4096;
constexpr const char* kRankCursors = "cursors_of_ranks";

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The sums over all ranks.
std::vector<double> SumOfRanks(const Job& job, const std::vector<double>& values) {
  at::Tensor sums = torch::tensor(values, torch::kFloat64);
  job.group.AddUp(sums);
  const auto* begin = sums.data_ptr<double>();
  return {begin, begin + sums.numel()};
}

// A line for each rank.
std::string GatherCursors(const Job& job, const Cursor& own) {
  std::string text = FormatCursor(own);
  std::erase(text, '\n');  // Between the fields.
  at::Tensor rows = torch::zeros({job.run.world_size, kMostCursorBytes}, torch::kUInt8);
  if (std::cmp_greater(text.size(), kMostCursorBytes)) throw std::runtime_error("a cursor has too long a prefix");
  std::copy(text.begin(), text.end(), rows[job.run.rank].data_ptr<std::uint8_t>());
  job.group.AddUp(rows);
  std::string lines;
  for (std::int64_t rank = 0; rank < rows.size(0); ++rank) {
    const auto* row = reinterpret_cast<const char*>(rows[rank].data_ptr<std::uint8_t>());
    lines += std::string(row) + "\n";
  }
  return lines;
}

Cursor CursorOfRank(const Job& job, const std::string& lines) {
  std::istringstream stream(lines);
  std::vector<std::string> cursors;
  for (std::string line; std::getline(stream, line);) cursors.push_back(line);
  if (std::cmp_not_equal(cursors.size(), job.run.world_size)) {
    throw std::runtime_error("shards without an index are resumed by as many ranks as before: " +
                             std::to_string(cursors.size()));
  }
  return ValueOrThrow(gcsflux::ParseCursor(cursors[static_cast<std::size_t>(job.run.rank)]));
}

// Behind the last sample of an epoch is the beginning of the next one.
Cursor Normalised(Cursor cursor) {
  const std::uint64_t all = cursor.shards ? cursor.shards->samples : cursor.listing.count;
  if (cursor.listing.is_partial || all == 0 || cursor.consumed < all) return cursor;
  ++cursor.epoch;
  cursor.consumed = 0;
  cursor.order_hash = 0;
  if (cursor.shards) cursor.shards->shard = cursor.shards->samples_before = cursor.shards->samples = 0;
  return cursor;
}

/// The steps of a job: one gradient of all ranks each.
class Training {
 public:
  Training(const Job& job, const Objective& objective, double learning_rate)
      : job_(job),
        objective_(objective),
        adam_(objective.network.parameters(), torch::optim::AdamOptions(learning_rate)),
        state_{
            .modules = {{"model", &objective.network}}, .optimizers = {{"adam", &adam_}}, .numbers = {{"epoch", 0}}} {
    if (FLAGS_save_every > 0 || FLAGS_resume) OpenRun();
    source_ = OpenTraining(job, objective.decode_training, ResumedCursor());
  }

  [[nodiscard]] const std::optional<std::int64_t>& resumed() const { return resumed_; }
  /// From 0: the same on all ranks, also where some have used all of their samples of it and others have not.
  [[nodiscard]] std::int64_t epoch() const { return state_.numbers.at("epoch"); }

  // What is left of the epoch.
  EpochFigures RunEpoch() {
    objective_.network.train();
    const Clock::time_point start = Clock::now();
    double waiting = 0;
    double images = 0;
    double loss = 0;
    bool has_ended = std::cmp_greater(source_->cursor().epoch, epoch());
    for (;;) {
      const Clock::time_point idle_since = Clock::now();
      const std::optional<Sample> batch = has_ended ? std::nullopt : source_->Next();
      has_ended = !batch;
      waiting += SecondsSince(idle_since);
      const auto [batch_images, batch_loss] = Step(batch);
      if (batch_images == 0) break;
      images += batch_images;
      loss += batch_loss;
    }
    ++state_.numbers["epoch"];
    const double seconds = SecondsSince(start);
    const double wait_share = SumOfRanks(job_, {waiting / seconds})[0] / job_.run.world_size;
    return {images, loss / std::max(images, 1.0), seconds, wait_share};
  }

  /// Waits until the last step is saved.
  void Finish() {
    if (run_ && FLAGS_save_every > 0 && saved_ != steps_) Save();
    if (pending_) TellSaved();
  }

 private:
  void OpenRun() {
    const std::string uri = ToUri(job_.At("checkpoints"));
    run_.emplace(job_.client, uri, job_.ranks,
                 gcsflux::CheckpointRunOptions{.save_every = std::max(FLAGS_save_every, 1),
                                               .keep = gcsflux::KeepRules{.last = 3},
                                               .take_over = FLAGS_resume});
    if (!FLAGS_resume) {
      if (const auto latest = run_->Latest()) {
        throw std::runtime_error("step " + std::to_string(latest->number) + " of " + uri +
                                 " is of an earlier run: go on from it with --resume, or name another --bucket");
      }
    } else if (const auto latest = run_->LoadLatest(state_)) {
      steps_ = saved_ = latest->number;
      resumed_ = steps_;
    }
  }

  std::optional<Cursor> ResumedCursor() const {
    if (!resumed_) return std::nullopt;
    const auto cursors = state_.texts.find(kRankCursors);
    return Normalised(cursors == state_.texts.end() ? state_.cursor.value() : CursorOfRank(job_, cursors->second));
  }

  // Ranks without a batch take part, with gradients of 0, until none has one. Returns the images, and the sum of their
  // losses.
  std::pair<double, double> Step(const std::optional<Sample>& batch) {
    adam_.zero_grad();
    at::Tensor loss = torch::zeros({});
    double images = 0;
    if (batch) {
      images = static_cast<double>(batch->data.size(0));
      loss = objective_.loss(*batch);
      loss.backward();
    }
    at::Tensor sums = Sums(loss, images);
    job_.group.AddUp(sums);
    const auto all_images = sums[-1].item<double>();
    if (all_images == 0) return {0, 0};
    SetGradients(sums / all_images);
    adam_.step();
    ++steps_;
    if (run_ && FLAGS_save_every > 0 && run_->ShouldSave(steps_)) Save();
    return {all_images, sums[-2].item<double>()};
  }

  // All gradients, the loss and the number of images, in one tensor for one exchange.
  at::Tensor Sums(const at::Tensor& loss, double images) const {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& parameter : objective_.network.parameters()) {
      parts.push_back(parameter.grad().defined() ? parameter.grad().flatten() : torch::zeros({parameter.numel()}));
    }
    parts.push_back(loss.detach().view({1}));
    parts.push_back(torch::full({1}, images));
    return torch::cat(parts);
  }

  void SetGradients(const at::Tensor& means) const {
    std::int64_t begin = 0;
    for (at::Tensor parameter : objective_.network.parameters()) {
      parameter.mutable_grad() = means.slice(0, begin, begin + parameter.numel()).view_as(parameter).clone();
      begin += parameter.numel();
    }
  }

  void Save() {
    if (pending_) TellSaved();
    state_.cursor = source_->cursor();
    if (state_.cursor->shards) state_.texts[kRankCursors] = GatherCursors(job_, *state_.cursor);
    pending_ = run_->SaveAsync(steps_, state_);
    saved_ = steps_;
  }

  void TellSaved() {
    const auto saved = ValueOrThrow(std::exchange(pending_, std::nullopt)->WaitCommitted());
    if (job_.is_first()) std::cout << "saved step " << saved.step.number << std::endl;
  }

  const Job& job_;
  const Objective& objective_;
  torch::optim::Adam adam_;
  gcsflux::RunState state_;
  std::int64_t steps_ = 0;
  std::int64_t saved_ = 0;  // The last step that was saved, or from which it went on.
  std::optional<std::int64_t> resumed_;
  std::optional<gcsflux::CheckpointRun> run_;
  std::optional<gcsflux::PendingSave> pending_;
  std::unique_ptr<SampleSource> source_;
};

double Score(const Job& job, const Objective& objective) {
  objective.network.eval();
  const torch::NoGradGuard no_grad;
  const auto source = OpenTest(job, objective.decode_test);
  std::pair<double, double> sums;
  while (const auto batch = source->Next()) {
    const auto [part, whole] = objective.score(*batch);
    sums.first += part;
    sums.second += whole;
  }
  const auto all = SumOfRanks(job, {sums.first, sums.second});
  return all[1] > 0 ? all[0] / all[1] : 0;
}

// Requests of the training, on all ranks.
gcsflux::Counters RequestsSince(const Job& job, const gcsflux::Counters& before) {
  const gcsflux::Counters own = job.client.counters() - before;
  const auto sums =
      SumOfRanks(job, {static_cast<double>(own.class_a_operations), static_cast<double>(own.class_b_operations)});
  return {.class_a_operations = static_cast<std::uint64_t>(sums[0]),
          .class_b_operations = static_cast<std::uint64_t>(sums[1])};
}

}  // namespace

void Train(const Job& job, const Objective& objective, double learning_rate) {
  const gcsflux::Counters before = job.client.counters();
  Training training(job, objective, learning_rate);
  JobFigures figures{.resumed_from = training.resumed(), .score_name = objective.score_name};
  if (figures.resumed_from && job.is_first()) std::cout << "resumed from step " << *figures.resumed_from << std::endl;
  while (training.epoch() < FLAGS_epochs) {
    const EpochFigures epoch = training.RunEpoch();
    if (epoch.images == 0) continue;  // The run was saved behind its last sample.
    figures.epochs.push_back(epoch);
    if (job.is_first()) PrintEpoch(training.epoch(), epoch);
  }
  figures.requests = RequestsSince(job, before);
  training.Finish();
  figures.score = Score(job, objective);
  if (!job.is_first()) return;
  std::cout << objective.score_name << " " << figures.score << std::endl;
  WriteSummary(job, figures);
}

}  // namespace examples
