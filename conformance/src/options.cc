#include "options.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>
#include <variant>

namespace gcsflux::conformance {
namespace {

struct Flag {
  std::string_view name;
  std::string_view value;  ///< What stands after the '=' in the help; empty for a switch.
  std::string_view help;
  std::variant<std::string Options::*, bool Options::*> member;
};

const std::array kFlags = {
    Flag{"endpoint", "URL", "service to test, http(s)://host[:port]; without it, an emulator inside this process",
         &Options::endpoint},
    Flag{"project", "ID", "project that owns the buckets; name your own with a real service", &Options::project},
    Flag{"access_token_file", "FILE", "file that holds an OAuth2 access token; needed by a real service",
         &Options::access_token_file},
    Flag{"bucket_prefix", "NAME", "buckets are called NAME-RUN-NUMBER; change it to tell your runs apart",
         &Options::bucket_prefix},
    Flag{"cases", "PATH", "a file or a directory of cases to run instead of the built-in ones", &Options::cases},
    Flag{"filter", "GLOB", "run only cases whose name matches, such as 'listing/*'", &Options::filter},
    Flag{"list", "", "print the names and claims of the cases and exit", &Options::list},
    Flag{"help", "", "print this text and exit", &Options::help},
};

const Flag* FindFlag(std::string_view name) {
  const auto* found =
      std::find_if(kFlags.begin(), kFlags.end(), [name](const Flag& flag) { return flag.name == name; });
  return found == kFlags.end() ? nullptr : found;
}

OrError<void> Check(Options& options) {
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  static const std::regex endpoint("https?://[^/?#@\\s]+");
  if (!options.endpoint.empty() && !std::regex_match(options.endpoint, endpoint)) {
    return Failed("--endpoint must be http://host:port or https://host:port, without a path");
  }
  // 63 characters less what the program adds: "-", 8 of the run, "-", 4 of the case.
  static const std::regex prefix("[a-z0-9][a-z0-9-]{0,48}");
  if (!std::regex_match(options.bucket_prefix, prefix)) {
    return Failed("--bucket_prefix must be 1 to 49 lower-case letters, digits and dashes");
  }
  if (!options.access_token_file.empty() && IsPlainHttpBeyondLoopback(options.endpoint)) {
    return Failed("--access_token_file is for https endpoints: plain http would show the token to the network");
  }
  return {};
}

}  // namespace

bool IsPlainHttpBeyondLoopback(const std::string& endpoint) {
  static const std::regex loopback("http://(localhost|127\\.[0-9.]+|\\[::1\\])(:[0-9]+)?");
  return endpoint.starts_with("http://") && !std::regex_match(endpoint, loopback);
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
    options.*std::get<std::string Options::*>(flag->member) = has_value ? argument.substr(equals + 1) : arguments[++i];
  }
  if (auto checked = Check(options); !checked) return Failed(checked.error());
  return options;
}

std::string Usage() {
  std::string text =
      "Usage: gcsflux-conformance [flags]\n\n"
      "Checks by raw HTTP that a service keeps Google Cloud Storage's contract.\n\n";
  constexpr std::size_t kHelpColumn = 28;
  for (const Flag& flag : kFlags) {
    std::string line = "  --" + std::string(flag.name);
    if (!flag.value.empty()) line += "=" + std::string(flag.value);
    line.resize(std::max(line.size() + 1, kHelpColumn), ' ');
    text += line + std::string(flag.help) + "\n";
  }
  return text +
         "\nExit status: 0 all cases passed; 1 a case failed or the endpoint cannot be reached; 2 wrong usage.\n"
         "The last line is \"N passed, N failed, N skipped\".\n";
}

}  // namespace gcsflux::conformance
