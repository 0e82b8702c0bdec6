#include "gcsflux/flags.h"

#include <gflags/gflags.h>

#include <cmath>
#include <fstream>
#include <optional>

DEFINE_string(endpoint, "",
              "Where to send requests, as http(s)://host[:port]. Set it to talk to an emulator or a private endpoint; "
              "empty takes STORAGE_EMULATOR_HOST, then https://storage.googleapis.com.");
DEFINE_string(project, "",
              "Project for creating and listing buckets. Set it where GOOGLE_CLOUD_PROJECT names no or another one.");
DEFINE_string(access_token_file, "",
              "File with an OAuth 2.0 access token (`gcloud auth print-access-token > FILE`). Set it for buckets that "
              "are not public; empty is anonymous access.");
DEFINE_double(retry_initial_delay_s, 0.2,
              "Bound of the first wait before a failed request is repeated. Raise it when many clients fail together.");
DEFINE_double(retry_multiplier, 2.0,
              "Growth of that bound per failure, at least 1. Lower it (1.2) when long waits cost more than requests.");
DEFINE_double(retry_max_delay_s, 32.0, "Largest bound of a wait. Lower it when somebody waits for the answer.");
DEFINE_double(retry_deadline_s, 120.0,
              "How long a failing request is repeated. Raise it to sit outages out, lower it to hear of them sooner.");
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

Result<std::chrono::milliseconds> Milliseconds(const char* flag, double seconds, double least) {
  constexpr double kMost = 365.0 * 24 * 3600;
  if (!(seconds >= least && seconds <= kMost)) {
    return Wrong(std::string("flag --") + flag + " must be from " + (least > 0 ? "0.001" : "0") +
                 " to 31536000 seconds");
  }
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

Result<std::string> ReadToken(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (!(file >> token)) {
    return Error{ErrorCode::kLocalIo, "cannot read an access token from '" + path + "' (--access_token_file)"};
  }
  return token;
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
    const std::string text = "  --" + flag.name + " (" + (flag.default_value.empty() ? "empty" : flag.default_value) +
                             ")\n      " + flag.description + "\n";
    if (flag.filename == __FILE__) common += text;
    if (Directory(flag.filename) == Directory(program_file)) own += text;
  }
  return own + common;
}

Result<ClientOptions> ClientOptionsFromFlags() {
  ClientOptions options{.endpoint = FLAGS_endpoint, .project = FLAGS_project};
  if (!FLAGS_access_token_file.empty()) {
    auto token = ReadToken(FLAGS_access_token_file);
    if (!token) return token.error();
    options.credentials = Credentials::AccessToken(*std::move(token));
  }
  struct Duration {
    const char* flag;
    double seconds;
    double least;
    std::chrono::milliseconds* out;
  };
  const Duration durations[] = {
      {"retry_initial_delay_s", FLAGS_retry_initial_delay_s, 0, &options.retry.initial_delay},
      {"retry_max_delay_s", FLAGS_retry_max_delay_s, 0, &options.retry.max_delay},
      {"retry_deadline_s", FLAGS_retry_deadline_s, 0, &options.retry.deadline},
      {"connect_timeout_s", FLAGS_connect_timeout_s, 0.001, &options.connect_timeout},
  };
  for (const auto& [flag, seconds, least, out] : durations) {
    const auto value = Milliseconds(flag, seconds, least);
    if (!value) return value.error();
    *out = *value;
  }
  if (!(FLAGS_retry_multiplier >= 1.0 && FLAGS_retry_multiplier <= 100.0)) {
    return Wrong("flag --retry_multiplier must be from 1 to 100");
  }
  if (FLAGS_stall_timeout_s < 1) return Wrong("flag --stall_timeout_s must be at least 1");
  options.retry.multiplier = FLAGS_retry_multiplier;
  options.stall_timeout = std::chrono::seconds(FLAGS_stall_timeout_s);
  return options;
}

}  // namespace gcsflux
