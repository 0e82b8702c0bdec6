#include "transfer/composition/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace gcsflux::testing {
namespace {

std::chrono::nanoseconds Nanoseconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace

double SimulatedDownloader::Download(std::size_t objects, std::uint64_t bytes) {
  const std::vector<DownloadSource> sources(objects, {.object = {"bkt", "o"}, .size = bytes, .generation = 1});
  internal::GroupPlanner planner(
      Context(), mode_,
      {.composite_bytes = 100'000'000, .range_bytes = 0, .connections = [this] { return connections_; }});
  sources_ = sources;
  planner_ = &planner;
  next_ = 0;
  left_ = objects;
  const double start = now_;
  while (busy_ < connections_) {
    ++busy_;
    After(0, [this] { OnFree(); });
  }
  while (left_ > 0) {
    auto event = events_.extract(events_.begin());
    now_ = event.key();
    event.mapped()();
  }
  return now_ - start;
}

// A connection has nothing to do.
void SimulatedDownloader::OnFree() {
  if (std::exchange(is_tasks_turn_, !is_tasks_turn_) && TakeTask()) return;
  if (next_ < sources_.size()) {
    const auto group = planner_->Plan(next_, std::span(sources_).subspan(next_));
    next_ += group.count;
    return Begin(group);
  }
  if (!TakeTask()) --busy_;
}

bool SimulatedDownloader::TakeTask() {
  if (tasks_.empty()) return false;
  const Action task = std::move(tasks_.front());
  tasks_.erase(tasks_.begin());
  task();
  return true;
}

void SimulatedDownloader::Begin(const internal::GroupPlan& group) {
  if (group.count == 1) return ReadDirectly(group.first);
  if (is_checked_) return FetchComposite(group);
  awaiting_.push_back([this, group] { FetchComposite(group); });
  if (!std::exchange(is_checking_, true)) Check([] {});
}

void SimulatedDownloader::ReadDirectly(std::size_t first) {
  const double first_byte = FirstByte();
  const double total = first_byte + static_cast<double>(sources_[first].size) / service_.bytes_per_second;
  After(total, [this, first_byte, total, bytes = sources_[first].size] {
    estimates_.NoteRead({.first_byte = Nanoseconds(first_byte), .total = Nanoseconds(total), .bytes = bytes});
    Delivered(1);
    OnFree();
  });
}

void SimulatedDownloader::FetchComposite(const internal::GroupPlan& group) {
  ++composites_;
  Compose([this, objects = group.count] { ReadComposite(objects); });
}

void SimulatedDownloader::Compose(const Action& then) {
  const auto id = estimates_.BeginCompose(Now());
  After(WaitToWrite() + service_.compose, [this, id, then] {
    estimates_.EndCompose(id, Now(), true);
    then();
  });
}

void SimulatedDownloader::ReadComposite(std::size_t objects) {
  const std::uint64_t bytes = objects * sources_[0].size;
  const double first_byte = FirstByte();
  const double total = first_byte + static_cast<double>(bytes) / service_.bytes_per_second;
  After(total, [this, first_byte, total, bytes, objects] {
    estimates_.NoteRead({.first_byte = Nanoseconds(first_byte), .total = Nanoseconds(total), .bytes = bytes});
    tasks_.push_back([this] { Delete(); });
    Delivered(objects);
    OnFree();
  });
}

void SimulatedDownloader::Delete() {
  const double took = WaitToWrite() + service_.remove;
  After(took, [this, took] {
    estimates_.NoteDelete(Nanoseconds(took));
    OnFree();
  });
}

void SimulatedDownloader::Check(const Action& then) {
  After(2 * service_.metadata, [this, then] {
    is_checked_ = true;
    for (const Action& action : std::exchange(awaiting_, {})) action();
    then();
  });
}

void SimulatedDownloader::Delivered(std::size_t objects) { left_ -= objects; }

internal::PlanningContext SimulatedDownloader::Context() {
  using Permit = internal::BucketPermits::Permit;
  return {.now = [this] { return Now(); },
          .permit = [this](const std::string&) { return is_checked_ ? Permit::kYes : Permit::kUnknown; },
          .estimate =
              [this](const std::string&) {
                auto estimate = estimates_.Get(Now());
                // As with a gate that has started to pace.
                if (next_write_ > now_) estimate.costs.writes_per_second = service_.writes_per_second;
                return estimate;
              },
          .check_soon =
              [this](const std::string&) {
                if (!std::exchange(is_checking_, true)) tasks_.push_back([this] { Check([this] { OnFree(); }); });
              },
          .probe_soon =
              [this](std::span<const DownloadSource>) {
                if (probes_ > 0) return;
                ++probes_;
                tasks_.push_back([this] {
                  Compose([this] {
                    tasks_.push_back([this] { Delete(); });
                    OnFree();
                  });
                });
              },
          .on_direct = [] {},
          .on_kms_key = [](const std::string&, const std::string&) {}};
}

internal::FetchEstimates::TimePoint SimulatedDownloader::Now() const {
  return internal::FetchEstimates::TimePoint(Nanoseconds(now_ + 1));
}

double SimulatedDownloader::FirstByte() {
  constexpr double kP99 = 2.326348;  // Standard deviations.
  const double sigma = std::log(service_.first_byte_p99 / service_.first_byte_median) / kP99;
  return std::lognormal_distribution<double>(std::log(service_.first_byte_median), sigma)(random_);
}

double SimulatedDownloader::WaitToWrite() {
  if (service_.writes_per_second <= 0) return 0;
  const double at = std::max(now_, next_write_);
  next_write_ = at + 1 / service_.writes_per_second;
  return at - now_;
}

}  // namespace gcsflux::testing
