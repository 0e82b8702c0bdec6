#include "program/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <variant>

namespace gcsflux::conformance {
namespace {

struct Flag {
  std::string_view name;
  std::string_view value;  ///< The text after '=' in the help; empty for a switch.
  std::string_view help;
  std::variant<std::string Options::*, bool Options::*, std::chrono::seconds Options::*> member;
};

const std::array kFlags = {
    Flag{"endpoint", "URL", "service to test, http(s)://host[:port]; if not given, an emulator inside this process",
         &Options::endpoint},
    Flag{"project", "ID", "project that owns the buckets; with a real service, name your own", &Options::project},
    Flag{"access_token_file", "FILE", "file that holds an OAuth2 access token; a real service needs one",
         &Options::access_token_file},
    Flag{"bucket_prefix", "NAME", "buckets are called NAME-RUN-NUMBER; change it to tell your runs apart",
         &Options::bucket_prefix},
    Flag{"cases", "PATH", "a file or a directory of cases to run instead of the built-in ones", &Options::cases},
    Flag{"retry_tests", "FILE",
         "a file of retry scenarios, as Google tests its clients, to run through the SDK instead of cases",
         &Options::retry_tests},
    Flag{"case_timeout_s", "SECONDS", "how long a case may take, and again its cleaning, before it fails; default 300",
         &Options::case_timeout},
    Flag{"timeout_s", "SECONDS", "how long the run may take; then the rest is skipped, which is status 1; default 3600",
         &Options::timeout},
    Flag{"filter", "GLOB", "run only cases whose name matches, such as 'listing/*'", &Options::filter},
    Flag{"list", "", "print the names and claims of the cases and exit", &Options::list},
    Flag{"version", "", "print the version and exit", &Options::version},
    Flag{"help", "", "print this text and exit", &Options::help},
};

const Flag* FindFlag(std::string_view name) {
  const auto* found =
      std::find_if(kFlags.begin(), kFlags.end(), [name](const Flag& flag) { return flag.name == name; });
  return found == kFlags.end() ? nullptr : found;
}

/// The "host:port" of an endpoint that has nothing after it. Empty if it is not such an endpoint.
std::string_view Authority(std::string_view endpoint) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!endpoint.starts_with(scheme)) continue;
    const std::string_view authority = endpoint.substr(scheme.size());
    return authority.find_first_of("/?#@\\ \t\n") == authority.npos ? authority : std::string_view();
  }
  return {};
}

bool IsBucketPrefix(std::string_view prefix) {
  // 63 characters less what the program adds: "-", 8 of the run, "-", up to 4 of the case.
  constexpr std::size_t kMaxBytes = 49;
  return !prefix.empty() && prefix.size() <= kMaxBytes && prefix[0] != '-' &&
         prefix.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == prefix.npos;
}

constexpr std::chrono::seconds kMostSeconds{86'400};

OrError<std::chrono::seconds> ParseSeconds(const Flag& flag, std::string_view text) {
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && seconds >= 1 && seconds <= kMostSeconds.count()) return std::chrono::seconds(seconds);
  return Failed("--" + std::string(flag.name) + " must be 1 to 86400 seconds, not '" + std::string(text) + "'");
}

OrError<void> Check(Options& options) {
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  if (!options.endpoint.empty() && Authority(options.endpoint).empty()) {
    return Failed("--endpoint must be http://host:port or https://host:port, without a path");
  }
  if (!IsBucketPrefix(options.bucket_prefix)) {
    return Failed("--bucket_prefix must be 1 to 49 lower-case letters, digits and dashes, and not begin with a dash");
  }
  if (!options.access_token_file.empty() && IsPlainHttpBeyondLoopback(options.endpoint)) {
    return Failed("--access_token_file is for https endpoints: plain http would show the token to the network");
  }
  if (!options.retry_tests.empty() && !options.cases.empty()) {
    return Failed("--retry_tests and --cases exclude each other: run them one after the other");
  }
  return {};
}

}  // namespace

bool IsPlainHttpBeyondLoopback(const std::string& endpoint) {
  if (!endpoint.starts_with("http://")) return false;
  const std::string_view authority = Authority(endpoint);
  const std::size_t port = authority.find_last_not_of("0123456789");
  const bool has_port = port != authority.npos && authority[port] == ':';
  const std::string_view host = has_port ? authority.substr(0, port) : authority;
  // An address, not a name that begins like one: "127.0.0.1.example.com" can be any machine.
  const bool is_loopback_address = host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
  return !is_loopback_address && host != "localhost" && host != "[::1]";
}

OrError<Options> ParseOptions(std::span<const char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const Flag* flag = argument.starts_with("--") ? FindFlag(argument.substr(2, equals - 2)) : nullptr;
    if (equals < 2 || flag == nullptr) return Failed("unknown argument " + std::string(argument));
    const bool has_value = equals != argument.npos;
    if (const auto* is_on = std::get_if<bool Options::*>(&flag->member)) {
      if (has_value) return Failed("--" + std::string(flag->name) + " takes no value");
      options.*(*is_on) = true;
      continue;
    }
    if (!has_value && i + 1 == arguments.size()) {
      return Failed("--" + std::string(flag->name) + " needs a value");
    }
    const std::string_view value = has_value ? argument.substr(equals + 1) : arguments[++i];
    if (const auto* limit = std::get_if<std::chrono::seconds Options::*>(&flag->member)) {
      const auto seconds = ParseSeconds(*flag, value);
      if (!seconds) return Failed(seconds.error());
      options.*(*limit) = *seconds;
      continue;
    }
    options.*std::get<std::string Options::*>(flag->member) = value;
  }
  if (auto checked = Check(options); !checked) return Failed(checked.error());
  return options;
}

std::string Usage() {
  std::string text =
      "Usage: gcsflux-conformance [flags]\n\n"
      "Checks by raw HTTP that a service keeps Google Cloud Storage's contract. With\n"
      "--retry_tests, checks that the SDK does what Google's clients do if requests fail.\n\n";
  constexpr std::size_t kHelpColumn = 28;
  for (const Flag& flag : kFlags) {
    std::string line = "  --" + std::string(flag.name);
    if (!flag.value.empty()) line += "=" + std::string(flag.value);
    line.resize(std::max(line.size() + 1, kHelpColumn), ' ');
    text += line + std::string(flag.help) + "\n";
  }
  return text +
         "\nExit status: 0 all cases passed; 1 a case failed, the run was cut short, or the endpoint cannot be "
         "reached;\n"
         "2 wrong usage; 3 all cases passed, but a bucket may be left behind, which is named on stderr.\n"
         "The last line is \"N passed, N failed, N skipped\".\n";
}

}  // namespace gcsflux::conformance
