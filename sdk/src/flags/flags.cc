#include "gcsflux/flags.h"

#include <gflags/gflags.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "flags/credential_flags.h"

DEFINE_string(endpoint, "",
              "Where to send requests, as http(s)://host[:port]. Set it to talk to an emulator or a private endpoint; "
              "empty takes STORAGE_EMULATOR_HOST, then https://storage.googleapis.com.");
DEFINE_string(project, "",
              "Project for creating and listing buckets. Set it where GOOGLE_CLOUD_PROJECT names no or another one.");
DEFINE_string(throttle_policy, "gate",
              "What throttled requests (429) do: gate (they wait for their turn at the rate that is to be had), or, to "
              "compare, full_jitter, decorrelated, multiplier (Google's connector) or none.");

DEFINE_string(
    idempotency, "strict",
    "Which calls are repeated: strict (those that cannot take effect twice) or always. Set it to always where "
    "a repeated effect is no harm.");

// One policy's flags. What each is for is said once, for all kinds.
#define RETRY_FLAGS(kind, of)                                                                                       \
  DEFINE_double(kind##_retry_initial_delay_s, 0.1,                                                                  \
                "Bound of the first wait before a failed " of                                                       \
                " is repeated. Raise it when many clients fail together.");                                         \
  DEFINE_double(                                                                                                    \
      kind##_retry_multiplier, 2.0,                                                                                 \
      "Growth of that bound per failure, at least 1. Lower it (1.2) when long waits cost more than requests.");     \
  DEFINE_double(kind##_retry_max_delay_s, 2.0,                                                                      \
                "Largest bound of a wait. Raise it where outages last and each request costs.");                    \
  DEFINE_string(kind##_retry_jitter, "equal",                                                                       \
                "How waits spread below their bound: equal (upper half), full, decorrelated or none. Change it to " \
                "compare.");                                                                                        \
  DEFINE_double(kind##_retry_deadline_s, 120.0,                                                                     \
                "How long a failing " of                                                                            \
                " is repeated, since its last progress. Raise it to sit outages out, lower "                        \
                "it to hear of them sooner.");                                                                      \
  DEFINE_int32(kind##_retry_max_attempts, 1'000'000,                                                                \
               "Attempts in all. Set it to 1 to see each failure; else leave it to the deadline.");                 \
  DEFINE_double(                                                                                                    \
      kind##_retry_budget, 0.2,                                                                                     \
      "Share of repetitions among requests beyond which they wait, 10 a second aside. Raise it where single "       \
      "failures are many and independent.")

RETRY_FLAGS(list, "listing");
RETRY_FLAGS(download, "download");
RETRY_FLAGS(upload, "upload");
RETRY_FLAGS(metadata, "request for metadata");
#undef RETRY_FLAGS

DEFINE_double(connect_timeout_s, 10.0, "For name look-up, TCP and TLS. Raise it on slow or distant networks.");
DEFINE_int32(stall_timeout_s, 60,
             "A request in which no byte moves for so long is broken off and repeated. Raise it for slow endpoints.");

namespace gcsflux {
namespace {

bool help_requested = false;

std::string_view Directory(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

Error Wrong(std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message)}; }

bool IsKnown(const std::string& name, gflags::CommandLineFlagInfo* info) {
  return gflags::GetCommandLineFlagInfo(name.c_str(), info);
}

// One flag of the line: "--name", "--name=value" or, with the value in the next word, "--name value".
struct Word {
  std::string name;
  std::optional<std::string> value;
};

Word SplitWord(std::string_view text) {
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return {std::string(text), std::nullopt};
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

// Sets the flag; tells whether the next word, null at the end of the line, was its value.
Result<bool> SetFlag(Word word, const char* next) {
  gflags::CommandLineFlagInfo info;
  bool took_next = false;
  if (!IsKnown(word.name, &info) && word.name.starts_with("no") && !word.value && IsKnown(word.name.substr(2), &info) &&
      info.type == "bool") {
    word = {word.name.substr(2), "false"};
  } else if (info.name.empty()) {
    return Wrong("unknown flag --" + word.name + "; --help lists them");
  } else if (!word.value && info.type == "bool") {
    word.value = "true";
  } else if (!word.value) {
    if (next == nullptr) return Wrong("flag --" + word.name + " needs a value");
    word.value = next;
    took_next = true;
  }
  if (gflags::SetCommandLineOption(word.name.c_str(), word.value->c_str()).empty()) {
    return Wrong("flag --" + word.name + " cannot be '" + *word.value + "': it takes a value of type " + info.type);
  }
  return took_next;
}

Result<std::chrono::milliseconds> Milliseconds(const std::string& flag, double seconds, double least) {
  constexpr double kMost = 365.0 * 24 * 3600;
  if (!(seconds >= least && seconds <= kMost)) {
    return Wrong("flag --" + flag + " must be from " + (least > 0 ? "0.001" : "0") + " to 31536000 seconds");
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

template <class T>
struct Name {
  const char* name;
  T value;
};

constexpr Name<Jitter> kJitters[] = {{"full", Jitter::kFull},
                                     {"equal", Jitter::kEqual},
                                     {"decorrelated", Jitter::kDecorrelated},
                                     {"none", Jitter::kNone}};
constexpr Name<ThrottlePolicy> kThrottlePolicies[] = {{"gate", ThrottlePolicy::kGate},
                                                      {"full_jitter", ThrottlePolicy::kFullJitter},
                                                      {"decorrelated", ThrottlePolicy::kDecorrelated},
                                                      {"multiplier", ThrottlePolicy::kMultiplier},
                                                      {"none", ThrottlePolicy::kNone}};

constexpr Name<IdempotencyPolicy> kIdempotencyPolicies[] = {{"strict", IdempotencyPolicy::kStrict},
                                                            {"always", IdempotencyPolicy::kAlwaysRetry}};

// The value of that name; the others are in the message.
template <class T, std::size_t N>
Result<T> Named(const std::string& flag, const std::string& name, const Name<T> (&names)[N]) {
  std::string all;
  for (const auto& [known, value] : names) {
    if (name == known) return value;
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  return Wrong("flag --" + flag + " cannot be '" + name + "': it takes " + all);
}

// The value of a flag that is there.
template <class T>
T ValueOf(const std::string& flag) {
  std::istringstream text(gflags::GetCommandLineFlagInfoOrDie(flag.c_str()).current_value);
  T value{};
  text >> value;
  return value;
}

Result<RetryOptions> RetryOptionsFromFlags(const std::string& prefix) {
  RetryOptions options;
  for (const auto& [name, out] : {std::pair("initial_delay_s", &options.initial_delay),
                                  {"max_delay_s", &options.max_delay},
                                  {"deadline_s", &options.deadline}}) {
    const auto value = Milliseconds(prefix + name, ValueOf<double>(prefix + name), 0);
    if (!value) return value.error();
    *out = *value;
  }
  const auto jitter = Named(prefix + "jitter", ValueOf<std::string>(prefix + "jitter"), kJitters);
  if (!jitter) return jitter.error();
  options.jitter = *jitter;
  options.multiplier = ValueOf<double>(prefix + "multiplier");
  options.max_attempts = ValueOf<int>(prefix + "max_attempts");
  options.budget = ValueOf<double>(prefix + "budget");
  if (!(options.multiplier >= 1.0 && options.multiplier <= 100.0)) {
    return Wrong("flag --" + prefix + "multiplier must be from 1 to 100");
  }
  if (options.max_attempts < 1) return Wrong("flag --" + prefix + "max_attempts must be at least 1");
  if (!(options.budget >= 0.0 && options.budget <= 100.0)) {
    return Wrong("flag --" + prefix + "budget must be from 0 to 100");
  }
  return options;
}

// gflags writes 0.2 with all its seventeen digits.
std::string DefaultOf(const gflags::CommandLineFlagInfo& flag) {
  if (flag.default_value.empty()) return "empty";
  if (flag.type != "double") return flag.default_value;
  std::ostringstream shortest;
  shortest << std::stod(flag.default_value);
  return shortest.str();
}

}  // namespace

Result<std::vector<std::string>> ParseFlags(int argc, const char* const* argv) {
  std::vector<std::string> rest;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    if (text == "--") {
      rest.insert(rest.end(), argv + i + 1, argv + argc);
      break;
    }
    if (text == "--help" || text == "-help" || text == "-h") {
      help_requested = true;
    } else if (text.size() < 2 || text.front() != '-') {
      rest.emplace_back(text);  // "-" alone is standard input or output.
    } else {
      const auto took_next = SetFlag(SplitWord(text), i + 1 < argc ? argv[i + 1] : nullptr);
      if (!took_next) return took_next.error();
      if (*took_next) ++i;
    }
  }
  return rest;
}

bool HelpRequested() { return help_requested; }

std::string FlagsHelp(std::string_view program_file) {
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  std::string own;
  std::string common;
  for (const auto& flag : flags) {
    const std::string text = "  --" + flag.name + " (" + DefaultOf(flag) + ")\n      " + flag.description + "\n";
    if (Directory(flag.filename) == Directory(__FILE__)) common += text;
    if (Directory(flag.filename) == Directory(program_file)) own += text;
  }
  return own + common;
}

Result<ClientOptions> ClientOptionsFromFlags() {
  ClientOptions options{.endpoint = FLAGS_endpoint, .project = FLAGS_project};
  if (auto set = internal::SetCredentialsFromFlags(options); !set) return set.error();
  for (const auto& [kind, policy] : {std::pair("list", &options.retry.list),
                                     {"download", &options.retry.download},
                                     {"upload", &options.retry.upload},
                                     {"metadata", &options.retry.metadata}}) {
    auto read = RetryOptionsFromFlags(std::string(kind) + "_retry_");
    if (!read) return read.error();
    *policy = *read;
  }
  const auto throttle_policy = Named("throttle_policy", FLAGS_throttle_policy, kThrottlePolicies);
  if (!throttle_policy) return throttle_policy.error();
  options.throttle_policy = *throttle_policy;
  const auto idempotency = Named("idempotency", FLAGS_idempotency, kIdempotencyPolicies);
  if (!idempotency) return idempotency.error();
  options.idempotency = *idempotency;
  const auto connect_timeout = Milliseconds("connect_timeout_s", FLAGS_connect_timeout_s, 0.001);
  if (!connect_timeout) return connect_timeout.error();
  options.connect_timeout = *connect_timeout;
  if (FLAGS_stall_timeout_s < 1) return Wrong("flag --stall_timeout_s must be at least 1");
  options.stall_timeout = std::chrono::seconds(FLAGS_stall_timeout_s);
  return options;
}

}  // namespace gcsflux
