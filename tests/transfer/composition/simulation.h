#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "transfer/composition/group_planner.h"

namespace gcsflux::testing {

/// The times of a service, in seconds.
struct SimulatedService {
  double first_byte_median = 0.05;  ///< Lognormal, as the emulator's profile gcs has it.
  double first_byte_p99 = 0.2;
  double bytes_per_second = 250e6;  ///< Of one stream.
  double compose = 0.1;
  double remove = 0.04;
  double metadata = 0.05;        ///< Each of the two requests by which a bucket is checked.
  double writes_per_second = 0;  ///< The client's share of a quota, as a gate assigns it; 0: none.
};

/// A Downloader in simulated time: its connections take groups as the planner plans them. Its estimates and pending
/// deletions persist from one download to the next.
class SimulatedDownloader {
 public:
  SimulatedDownloader(const SimulatedService& service, CompositionMode mode, std::size_t connections,
                      std::uint32_t seed)
      : service_(service), mode_(mode), connections_(connections), random_(seed) {}

  /// Seconds until the last of this many objects has arrived.
  double Download(std::size_t objects, std::uint64_t bytes);

  [[nodiscard]] std::size_t composites() const { return composites_; }
  [[nodiscard]] std::size_t probes() const { return probes_; }

 private:
  using Action = std::function<void()>;

  void After(double seconds, Action action) { events_.emplace(now_ + seconds, std::move(action)); }
  void OnFree();
  bool TakeTask();
  void Begin(const internal::GroupPlan& group);
  void ReadDirectly(std::size_t first);
  void FetchComposite(const internal::GroupPlan& group);
  void Compose(const Action& then);
  void ReadComposite(std::size_t objects);
  void Delete();
  void Check(const Action& then);
  void Delivered(std::size_t objects);

  [[nodiscard]] internal::PlanningContext Context();
  [[nodiscard]] internal::FetchEstimates::TimePoint Now() const;
  double FirstByte();
  double WaitToWrite();

  const SimulatedService service_;
  const CompositionMode mode_;
  const std::size_t connections_;
  std::mt19937 random_;
  internal::FetchEstimates estimates_;
  double now_ = 0;
  std::multimap<double, Action> events_ = {};
  std::vector<Action> tasks_ = {};     // Due, and waiting for a connection.
  std::vector<Action> awaiting_ = {};  // The bucket's check.
  bool is_checked_ = false;
  bool is_checking_ = false;
  bool is_tasks_turn_ = true;
  double next_write_ = 0;

  std::span<const DownloadSource> sources_ = {};
  internal::GroupPlanner* planner_ = nullptr;
  std::size_t next_ = 0;
  std::size_t left_ = 0;
  std::size_t busy_ = 0;
  std::size_t composites_ = 0;
  std::size_t probes_ = 0;
};

}  // namespace gcsflux::testing
