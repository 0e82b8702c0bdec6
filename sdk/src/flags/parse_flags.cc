// The command line: ParseFlags, HelpRequested and FlagsHelp.
#include <gflags/gflags.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "base/option_range.h"
#include "base/text/nearest_name.h"
#include "flags/flag_values.h"
#include "gcsflux/flags.h"

namespace gcsflux {
namespace {

using internal::WrongFlag;

bool help_requested = false;

// The last two folders of a source file: "src/flags". The path before them may be absolute or relative, even in one
// program: a compiler's cache holds both.
std::filesystem::path FolderOf(std::string_view file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.parent_path().filename() / folder.filename();
}

bool IsKnown(const std::string& name, gflags::CommandLineFlagInfo* info) {
  return gflags::GetCommandLineFlagInfo(name.c_str(), info);
}

// One flag on the line: "--name", "--name=value" or, with the value in the next word, "--name value".
struct Word {
  std::string name = {};
  std::optional<std::string> value = {};
};

Word SplitWord(std::string_view text) {
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  const auto equals = text.find('=');
  Word word{.name = std::string(text.substr(0, equals))};
  std::ranges::replace(word.name, '-', '_');
  if (equals != std::string_view::npos) word.value = text.substr(equals + 1);
  return word;
}

Error UnknownFlag(const std::string& name) {
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  const std::string file_of_gflags = gflags::GetCommandLineFlagInfoOrDie("flagfile").filename;
  std::vector<std::string> names;
  for (const auto& flag : flags) {
    if (FolderOf(flag.filename) != FolderOf(file_of_gflags)) names.push_back(flag.name);
  }
  const std::string nearest = internal::NearestName(name, names);
  return WrongFlag("unknown flag --" + name + "; " + (nearest.empty() ? "" : "did you mean --" + nearest + "? ") +
                   "--help lists them");
}

// Sets the flag. Returns whether the next word (null at the end of the line) was its value.
Result<bool> SetFlag(Word word, const char* next) {
  gflags::CommandLineFlagInfo info;
  bool took_next = false;
  // "--noswitch" or "--no_switch".
  const std::string switched_off =
      word.name.substr(std::min<std::size_t>(word.name.starts_with("no_") ? 3 : 2, word.name.size()));
  if (!IsKnown(word.name, &info) && word.name.starts_with("no") && !word.value && IsKnown(switched_off, &info) &&
      info.type == "bool") {
    word = {switched_off, "false"};
  } else if (info.name.empty()) {
    return UnknownFlag(word.name);
  } else if (!word.value && info.type == "bool") {
    word.value = "true";
  } else if (!word.value) {
    if (next == nullptr) return WrongFlag("flag --" + word.name + " needs a value");
    word.value = next;
    took_next = true;
  }
  if (gflags::SetCommandLineOption(word.name.c_str(), word.value->c_str()).empty()) {
    return WrongFlag("flag --" + word.name + " cannot be '" + *word.value + "': it takes a value of type " + info.type);
  }
  return took_next;
}

// gflags prints 0.2 with all its seventeen digits.
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
    const internal::OptionRange* const range = internal::FindRange(flag.name);
    const std::string text = "  --" + flag.name + " (" + DefaultOf(flag) +
                             (range == nullptr ? "" : "; " + internal::RangeText(*range)) + ")\n      " +
                             flag.description + "\n";
    if (FolderOf(flag.filename) == FolderOf(__FILE__)) common += text;
    if (FolderOf(flag.filename) == FolderOf(program_file)) own += text;
  }
  return own + common;
}

}  // namespace gcsflux
