#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/result.h"

// A file with one command of gcsflux a line, without the program's name.
namespace gcsflux::cli {

struct CommandLine {
  std::size_t number = 0;  ///< Of the line, from 1.
  std::string text = {};
  std::vector<std::string> words = {};
};

/// The words of a line as a shell splits them: '...', "..." and \ keep spaces together, and # begins a comment. Nothing
/// is expanded. Returns kInvalidArgument if a quotation does not end.
Result<std::vector<std::string>> SplitWords(std::string_view line);

/// Every line that has words. All are checked as if they ran now, so that no command begins if one of them is mistyped:
/// returns kInvalidArgument with the line's number. Flags that are set already hold for each line. It changes no flag.
/// Call it before threads start.
Result<std::vector<CommandLine>> ReadCommandFile(std::istream& in);

}  // namespace gcsflux::cli
