#include "cli/run/command_file.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/arguments/names.h"
#include "cli/command_line.h"
#include "gcsflux/flags.h"

namespace gcsflux::cli {
namespace {

// Takes the rest of a quotation from `line`, behind its first quotation mark.
bool TakeQuoted(std::string_view& line, char quote, std::string& word) {
  while (!line.empty()) {
    const char c = line.front();
    line.remove_prefix(1);
    if (c == quote) return true;
    const bool is_escaped = c == '\\' && quote == '"' && !line.empty() && (line.front() == '"' || line.front() == '\\');
    word += is_escaped ? line.front() : c;
    if (is_escaped) line.remove_prefix(1);
  }
  return false;
}

// The flags that hold for each line. --json is checked with each one's command.
std::set<std::string> FlagsOfAllLines() {
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  std::set<std::string> given;
  for (const auto& flag : flags) {
    if (!flag.is_default && flag.name != "json") given.insert(flag.name);
  }
  return given;
}

Result<void> CheckLine(const std::vector<std::string>& words, const std::set<std::string>& of_all) {
  const gflags::FlagSaver restores_all;
  std::vector<const char*> line = {"gcsflux"};
  const std::vector<std::string> expanded = ExpandLetters(words);
  for (const std::string& word : expanded) line.push_back(word.c_str());
  auto arguments = ParseFlags(static_cast<int>(line.size()), line.data());
  if (!arguments) return arguments.error();
  const auto call = ReadCall(*std::move(arguments), of_all);
  if (!call) return call.error();
  if (call->command == &kRun) return Error{ErrorCode::kInvalidArgument, "run cannot run itself"};
  const bool reads_input = !call->arguments.empty() && call->arguments.front() == "-";
  if (reads_input) return Error{ErrorCode::kInvalidArgument, "a line cannot read standard input"};
  for (const std::string& argument : call->arguments) {
    if (!IsUri(argument)) continue;
    if (const auto uri = ParseUri(argument); !uri) return uri.error();
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  bool is_in_word = false;
  while (!line.empty()) {
    const char c = line.front();
    line.remove_prefix(1);
    if (c == ' ' || c == '\t' || c == '\r') {
      is_in_word = false;
      continue;
    }
    if (c == '#' && !is_in_word) break;
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (c == '\'' || c == '"') {
      if (!TakeQuoted(line, c, words.back())) {
        return Error{ErrorCode::kInvalidArgument, std::string("the quotation ") + c + " does not end"};
      }
    } else if (c == '\\' && !line.empty()) {
      words.back() += line.front();
      line.remove_prefix(1);
    } else {
      words.back() += c;
    }
  }
  return words;
}

Result<std::vector<CommandLine>> ReadCommandFile(std::istream& in) {
  std::vector<CommandLine> lines;
  const std::set<std::string> of_all = FlagsOfAllLines();
  CommandLine line{.number = 1};
  for (; std::getline(in, line.text); ++line.number) {
    const auto wrong = [&](const Error& error) {
      return Error{ErrorCode::kInvalidArgument,
                   "line " + std::to_string(line.number) + ": " + error.message + "; no command was run"};
    };
    auto words = SplitWords(line.text);
    if (!words) return wrong(words.error());
    if (words->empty()) continue;
    if (auto checked = CheckLine(*words, of_all); !checked) return wrong(checked.error());
    line.words = *std::move(words);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace gcsflux::cli
