#pragma once

#include <iostream>
#include <optional>
#include <string>

#include "gcsflux/flags.h"

// The flags of programs that train.
namespace examples {

/// Says what is wrong. Returns the exit status for it.
inline int WrongUsage(const std::string& program, const std::string& what) {
  std::cerr << program + ": " + what + "\n";
  return 2;
}

/// Reads the flags of a program without other arguments. Returns the exit status if the program has nothing more to do:
/// after --help, or after a wrong usage. `source` is the program's __FILE__.
inline std::optional<int> ReadFlags(const std::string& program, const char* source, int argc, char** argv) {
  const auto arguments = gcsflux::ParseFlags(argc, argv);
  if (!arguments.ok()) return WrongUsage(program, arguments.error().message);
  if (gcsflux::HelpRequested()) {
    std::cout << gcsflux::FlagsHelp(source);
    return 0;
  }
  if (arguments->empty()) return std::nullopt;
  return WrongUsage(program, "unexpected argument '" + arguments->front() + "'; see --help");
}

/// Where a training reads and writes.
struct TrainingPlace {
  gcsflux::ClientOptions options = {};
  gcsflux::ObjectName root = {};  ///< A bucket, or a prefix that ends in '/'.
};

/// By the flags of the client, and a URI.
inline gcsflux::Result<TrainingPlace> PlaceOfFlags(const std::string& uri) {
  const auto options = gcsflux::ClientOptionsFromFlags();
  if (!options.ok()) return options.error();
  auto root = gcsflux::ParseUri(uri);
  if (!root.ok()) return root.error();
  if (!root->name.empty() && !root->name.ends_with('/')) root->name += '/';
  return TrainingPlace{*options, *root};
}

}  // namespace examples
