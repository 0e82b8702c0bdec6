#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "campaign/chance.h"
#include "campaign/model.h"
#include "crash/crash_case.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/options.h"

namespace gcsflux::campaign {

/// Of names that are not objects of slots.
inline constexpr auto kExtraPrefix = "extra/";

/// One operation: which worker makes it, and the seed of all its choices, so that it is the same in any place of a
/// journal.
struct Step {
  int worker = 0;
  std::string operation = {};
  std::uint64_t seed = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

/// Processes that may be killed at the same time. Thread-safe.
class ProcessLimit {
 public:
  explicit ProcessLimit(int limit) : left_(limit) {}
  /// False if all are in use.
  bool Take();
  void Return() { ++left_; }

 private:
  std::atomic<int> left_;
};

/// Shared by all workers and changed by none.
struct Common {
  ClientOptions options;
  Client client;
  const Downloader& downloader;
  const Downloader& composing_downloader;  ///< Composes all objects that it can.
  std::string bucket;
  std::vector<Slot> objects;     ///< Existing from the start.
  std::vector<Slot> compressed;  ///< Likewise, stored as gzip data of their content.
  ObjectName samples;            ///< The prefix of a dataset's objects, in the order of the next member.
  std::vector<Slot> sample_objects;
  std::filesystem::path directory;  ///< For files.
  ProcessLimit& processes;
};

/// How often an operation ended with each result.
struct Tally {
  std::uint64_t done = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t failed = 0;  ///< As it may.

  Tally& operator+=(const Tally& more);
};

/// The errors of a call beside kCancelled after a stop.
struct MayFail {
  /// A transient failure ends it: it is not idempotent.
  bool at_once = false;
  std::vector<ErrorCode> with = {};
  /// kCorrupted and kSessionLost promise that nothing is visible, for any earlier attempt.
  bool leaves_nothing = false;
};

/// A step of a training run in the model.
struct SavedText {
  std::string text = {};
  std::optional<double> loss = {};  ///< Its metric.

  friend bool operator==(const SavedText&, const SavedText&) = default;
};

/// An operation that was killed, whose promise is checked at the end of the phase.
struct KilledPlace {
  const crash::CrashCase* operation = nullptr;
  crash::Place place;
};

/// Makes one random operation after another: on its own names, whose content it knows, and on objects that do not
/// change.
class Worker {
 public:
  Worker(const Common& common, int number, std::uint64_t seed);

  /// The next step of a campaign.
  Step NextStep();
  /// Makes one of this worker's steps. Throws Violation.
  void Run(const Step& step);

  /// All its names: their current content.
  [[nodiscard]] std::vector<Slot> AllSlots() const;
  [[nodiscard]] const std::map<std::string, Tally>& tallies() const { return tallies_; }
  /// Its current operation, for messages.
  [[nodiscard]] const std::string& operation() const { return operation_; }

  // For the operations.
  [[nodiscard]] const Common& common() const { return common_; }
  [[nodiscard]] const Client& client() const { return common_.client; }
  Chance& chance() { return chance_; }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
  /// "t3/", the prefix of its names.
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  [[nodiscard]] const std::vector<Slot>& retired() const { return retired_; }
  /// The prefix of what is not an object of a slot: steps of runs, shards, and so on.
  [[nodiscard]] std::string extra(const std::string& what) const {
    return std::string(kExtraPrefix) + prefix_ + what + "/";
  }
  /// The steps of its run.
  std::map<std::int64_t, SavedText>& steps() { return steps_; }
  std::vector<KilledPlace>& places() { return places_; }
  /// By case.
  std::map<std::string, std::uint64_t>& kills() { return kills_; }
  /// Counts one call that failed as it may.
  void CountFailure() { ++tallies_[operation_].failed; }
  void CountSuccess() { ++tallies_[operation_].done; }

  /// One of its names.
  Slot& AnySlot() { return slots_[chance_.Below(slots_.size())]; }
  /// One of them that has an object; null if there is none.
  Slot* StoredSlot();
  /// An object, its own or a common one.
  const Slot& StoredObject();
  /// Bytes that were not stored before: usually few, and never more than `most`.
  Version NewVersion(std::size_t most = 1 << 20);
  std::string NewTag();

  /// Counts the end of a call. True if it succeeded; throws Violation if this error is not allowed.
  bool Check(const Error* error, const RandomStop& stop, const MayFail& may = {});
  template <class T>
  bool Check(const Result<T>& result, const RandomStop& stop, const MayFail& may = {}) {
    return Check(result.ok() ? nullptr : &result.error(), stop, may);
  }
  /// The same for a write of `tried` to the slot; finds out the current content.
  void Conclude(Slot& slot, State tried, const Result<ObjectMetadata>& result, const RandomStop& stop,
                const MayFail& may = {});
  void ConcludeDeletion(Slot& slot, const Result<void>& result, const RandomStop& stop);
  /// The slot is no longer used, because a cancelled call may still take effect; it is verified at the end.
  void Retire(Slot& slot);

 private:
  static constexpr std::size_t kSlots = 12;

  Slot NewSlot();
  void LookAt(Slot& slot, State tried, const Error& error, bool leaves_nothing);

  const Common& common_;
  const int number_;
  Chance deck_chance_;
  Chance chance_;  // of the current step

  const std::string prefix_;
  std::vector<Slot> slots_;    // each of one state
  std::vector<Slot> retired_;  // and these of two
  std::map<std::int64_t, SavedText> steps_;
  std::vector<KilledPlace> places_;
  std::map<std::string, std::uint64_t> kills_;
  std::vector<std::string> shuffled_;
  std::uint64_t next_seed_;
  int next_name_ = 0;
  std::string operation_;
  std::map<std::string, Tally> tallies_;
};

}  // namespace gcsflux::campaign
