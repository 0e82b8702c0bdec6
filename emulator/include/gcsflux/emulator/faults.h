#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

// Faults by plan: docs/emulator/faults.md. Every field has the same name in a plan's JSON, in camel case:
// `object_prefix` is "objectPrefix" there. A time is a string of seconds there: "1.5s".

/// Which requests a rule is for: those that meet every condition that is set.
struct FaultMatch {
  std::optional<std::string> operation = {};  ///< "storage.objects.insert", as the journal has it.
  std::optional<std::string> phase = {};      ///< "start", "chunk", "final", "status", "cancel"; "initiate", "part" ...
  std::optional<std::string> method = {};     ///< "GET".
  std::optional<std::string> bucket = {};
  /// The beginning of the object's name. A request of an upload session has the name of the session's object.
  std::optional<std::string> object_prefix = {};
  std::optional<std::string> object_glob = {};  ///< A pattern for the object's whole name, as in matchGlob.
  std::optional<std::uint64_t> attempt = {};  ///< The attempt's number within its call, from 1, if the client sends it.
  /// The read's range, or the bytes of the upload, contain this byte of the object, from 0.
  std::optional<std::uint64_t> covers_byte = {};
  std::optional<std::uint64_t> nth = {};  ///< Only the nth of the requests that meet the conditions above, from 1.
  std::optional<std::uint64_t> every =
      {};  ///< Only every n-th of the requests that meet the conditions above: 3 is for the third, the sixth and so on.
  /// Only this share of them, 0 to 1. The seed, the rule's name and the request's key choose, so the order of threads
  /// does not matter.
  std::optional<double> probability = {};

  friend bool operator==(const FaultMatch&, const FaultMatch&) = default;
};

/// What happens to them. Each type takes some of the other fields and refuses the rest: docs/emulator/faults.md.
struct FaultAction {
  std::string type = {};  ///< "status", "reset", "cut" and so on.
  std::optional<std::uint64_t> status = {};
  std::optional<std::string> body = {};
  std::optional<std::string> content_type = {};
  std::optional<std::chrono::nanoseconds> retry_after = {};  ///< Whole seconds.
  std::optional<std::uint64_t> after_bytes = {};  ///< Of the answer's body; in an upload, of the object's bytes.
  std::optional<std::uint64_t> at_byte = {};      ///< Of the object, from 0.
  std::optional<std::uint64_t> keep_bytes = {};   ///< Of one chunk.
  std::optional<std::int64_t> length_delta = {};  ///< How much the shown Content-Length differs from the true one.
  std::optional<std::chrono::nanoseconds> duration = {};
  std::optional<std::uint64_t> bytes_per_second = {};
  std::optional<bool> resets = {};  ///< The connection is reset instead of closed.
  std::optional<bool> matching_hashes =
      {};  ///< The answer shows the CRC32C of the corrupted bytes, as if the object had always been so, and no MD5.

  friend bool operator==(const FaultAction&, const FaultAction&) = default;
};

/// How often a rule acts, and when. The times are the emulator's, counted from when the rule was loaded. Outside of
/// them the rule matches nothing.
struct FaultLimits {
  std::optional<std::uint64_t> count = {};  ///< The rule acts so many times, then never again.
  std::optional<std::chrono::nanoseconds> not_before = {};
  std::optional<std::chrono::nanoseconds> not_after = {};

  friend bool operator==(const FaultLimits&, const FaultLimits&) = default;
};

struct FaultRule {
  /// Must differ from the other rules' names. If it is empty, it becomes "rule 1" and so on, by the rule's place.
  /// Probability depends on it.
  std::string name = {};
  FaultMatch match = {};
  FaultAction action = {};
  FaultLimits limits = {};

  friend bool operator==(const FaultRule&, const FaultRule&) = default;
};

/// Tells one request from another, whatever the order in which threads send them.
struct FaultKey {
  std::string operation = {};
  std::string phase = {};
  std::string bucket = {};
  std::string object = {};
  /// The first byte of the object that a read asks for (0 if it does not say), or the first byte that a chunk sends.
  std::optional<std::uint64_t> range_start = {};
  std::uint64_t arrival = 0;  ///< The request's number among those that agree in all of the above, from 1.

  friend bool operator==(const FaultKey&, const FaultKey&) = default;
};

/// One fault that fired.
struct FiredFault {
  FaultKey key = {};
  std::string rule = {};
  FaultAction action = {};

  friend bool operator==(const FiredFault&, const FiredFault&) = default;
};

struct FaultPlan {
  std::uint64_t seed = 0;
  std::vector<FaultRule> rules = {};
  /// In place of rules, the result of Faults::Schedule(). The same faults happen to the requests that have these keys.
  std::vector<FiredFault> replay = {};

  friend bool operator==(const FaultPlan&, const FaultPlan&) = default;
};

/// Reads {"seed": N, "rules": [...]} or {"replay": [...]}. Throws std::invalid_argument, which names line, column, rule
/// and field.
FaultPlan ParseFaultPlan(std::string_view json);

/// How often a rule matched and fired.
struct FaultCount {
  std::string rule = {};
  std::uint64_t matched = 0;  ///< Requests that the rule is for, before nth, every and probability choose among them.
  std::uint64_t fired = 0;    ///< Requests to which the action did what it is for.

  friend bool operator==(const FaultCount&, const FaultCount&) = default;
};

/// The faults of an emulator: its rules, and what they did. Thread-safe. A request meets the rules that are loaded when
/// it arrives. Several rules can act on it, in their order.
class Faults {
 public:
  virtual ~Faults() = default;

  /// Replaces the rules, and clears counters, schedule and the counts of arrivals. If a rule is wrong, throws
  /// std::invalid_argument, which names the rule and the field, and changes nothing.
  virtual void Load(FaultPlan plan) = 0;
  /// Adds a rule after the others. Throws as Load() does, and if a replay is loaded.
  virtual void Add(FaultRule rule) = 0;
  /// Removes all rules: Load() of an empty plan.
  virtual void Clear() = 0;

  /// The rules that were loaded and added, each with its name.
  [[nodiscard]] virtual FaultPlan Plan() const = 0;
  /// One entry for each rule, in their order. For a replay, one for each rule that it names, by name.
  [[nodiscard]] virtual std::vector<FaultCount> Counts() const = 0;
  /// How often the rule of that name fired; 0 if there is none.
  [[nodiscard]] virtual std::uint64_t Fired(std::string_view rule) const = 0;
  /// The faults that fired since Load(), in order. At most kMaxSchedule of them: later ones are only counted.
  [[nodiscard]] virtual std::vector<FiredFault> Schedule() const = 0;
  /// Load() of a schedule.
  virtual void Replay(std::vector<FiredFault> schedule) = 0;

  static constexpr std::size_t kMaxSchedule = 200'000;
};

}  // namespace gcsflux::emulator
