#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::emulator {

// What can go wrong with requests, by plan: docs/faults.md. Every field has the same name in a plan's JSON, in camel
// case, so that `object_prefix` is "objectPrefix" there, and a time is a string of seconds, "1.5s".

/// Which requests a rule is for: those of which all that is set is true.
struct FaultMatch {
  std::optional<std::string> operation = {};  ///< "storage.objects.insert", as the journal has it.
  std::optional<std::string> phase = {};      ///< "start", "chunk", "final", "status", "cancel"; "initiate", "part" ...
  std::optional<std::string> method = {};     ///< "GET".
  std::optional<std::string> bucket = {};
  /// Of the object's name; the requests of an upload session have the name of its object.
  std::optional<std::string> object_prefix = {};
  std::optional<std::string> object_glob = {};  ///< A pattern for the object's whole name, as in matchGlob.
  std::optional<std::uint64_t> attempt = {};    ///< The call's attempt, from 1, where the client says it.
  /// The read's range, or the upload's bytes, cover this byte of the object, from 0.
  std::optional<std::uint64_t> covers_byte = {};
  std::optional<std::uint64_t> nth = {};    ///< Only the nth of the requests that the above is true of, from 1.
  std::optional<std::uint64_t> every = {};  ///< Only each one whose number among these it divides.
  /// Only this share of them, 0 to 1: by the seed, the rule's name and the request's key, whatever threads do.
  std::optional<double> probability = {};

  friend bool operator==(const FaultMatch&, const FaultMatch&) = default;
};

/// What happens to them. Each type takes some of the other fields, docs/faults.md says which, and refuses the rest.
struct FaultAction {
  std::string type = {};  ///< "status", "reset", "cut" and so on.
  std::optional<std::uint64_t> status = {};
  std::optional<std::string> body = {};
  std::optional<std::string> content_type = {};
  std::optional<std::chrono::nanoseconds> retry_after = {};  ///< Whole seconds.
  std::optional<std::uint64_t> after_bytes = {};  ///< Of the answer's body; with an upload, of the object's bytes.
  std::optional<std::uint64_t> at_byte = {};      ///< Of the object, from 0.
  std::optional<std::uint64_t> keep_bytes = {};   ///< Of one chunk.
  std::optional<std::int64_t> length_delta = {};  ///< What Content-Length is off by.
  std::optional<std::chrono::nanoseconds> duration = {};
  std::optional<std::uint64_t> bytes_per_second = {};
  std::optional<bool> resets = {};           ///< The connection, where it would else be closed.
  std::optional<bool> matching_hashes = {};  ///< Of what was corrupted, as if it had always been like that.

  friend bool operator==(const FaultAction&, const FaultAction&) = default;
};

/// How often a rule acts, and when. The times are the emulator's, since the rule was loaded; beyond them it matches
/// nothing.
struct FaultLimits {
  std::optional<std::uint64_t> count = {};  ///< So many times, then never again.
  std::optional<std::chrono::nanoseconds> not_before = {};
  std::optional<std::chrono::nanoseconds> not_after = {};

  friend bool operator==(const FaultLimits&, const FaultLimits&) = default;
};

struct FaultRule {
  /// Differs from the other rules'; "rule 1" and so on, by its place, where it is empty. Chance depends on it.
  std::string name = {};
  FaultMatch match = {};
  FaultAction action = {};
  FaultLimits limits = {};

  friend bool operator==(const FaultRule&, const FaultRule&) = default;
};

/// What tells one request from another, whatever the order in which threads send them.
struct FaultKey {
  std::string operation = {};
  std::string phase = {};
  std::string bucket = {};
  std::string object = {};
  /// The first byte of the object that a read asks for, 0 where it does not say, or that a chunk says it sends.
  std::optional<std::uint64_t> range_start = {};
  std::uint64_t arrival = 0;  ///< Among the requests that have all of the above in common, from 1.

  friend bool operator==(const FaultKey&, const FaultKey&) = default;
};

/// Something that happened.
struct FiredFault {
  FaultKey key = {};
  std::string rule = {};
  FaultAction action = {};

  friend bool operator==(const FiredFault&, const FiredFault&) = default;
};

struct FaultPlan {
  std::uint64_t seed = 0;
  std::vector<FaultRule> rules = {};
  /// In place of rules, what Faults::Schedule() gave: exactly this happens again to the requests that have these keys.
  std::vector<FiredFault> replay = {};

  friend bool operator==(const FaultPlan&, const FaultPlan&) = default;
};

/// Reads {"seed": N, "rules": [...]} or {"replay": [...]}. Throws std::invalid_argument, which names line, column, rule
/// and field.
FaultPlan ParseFaultPlan(std::string_view json);

/// What became of a rule.
struct FaultCount {
  std::string rule = {};
  std::uint64_t matched = 0;  ///< Requests that it is for, before nth, every and probability choose among them.
  std::uint64_t fired = 0;    ///< Requests to which its action did what it is there for.

  friend bool operator==(const FaultCount&, const FaultCount&) = default;
};

/// An emulator's faults: rules, and what they did. Thread-safe. A request meets the rules that are there when it comes;
/// several can act on it, in their order.
class Faults {
 public:
  virtual ~Faults() = default;

  /// Replaces rules, counters and schedule, and counts requests' arrivals anew. Throws std::invalid_argument, which
  /// names the rule and the field, where a rule is wrong; all stays as it was then.
  virtual void Load(FaultPlan plan) = 0;
  /// Adds a rule behind the others; throws likewise, and where a replay is loaded.
  virtual void Add(FaultRule rule) = 0;
  /// Load() of nothing.
  virtual void Clear() = 0;

  /// What was loaded and added, every rule with its name.
  [[nodiscard]] virtual FaultPlan Plan() const = 0;
  /// Of each rule in their order; of a replay, of each rule that it names, by their names.
  [[nodiscard]] virtual std::vector<FaultCount> Counts() const = 0;
  /// How often the rule of that name fired; 0 where there is none.
  [[nodiscard]] virtual std::uint64_t Fired(std::string_view rule) const = 0;
  /// What happened since Load(), in its order. At most kMaxSchedule of it: later faults are counted only.
  [[nodiscard]] virtual std::vector<FiredFault> Schedule() const = 0;
  /// Load() of a schedule.
  virtual void Replay(std::vector<FiredFault> schedule) = 0;

  static constexpr std::size_t kMaxSchedule = 200'000;
};

}  // namespace gcsflux::emulator
