#include "cli/command_line.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <span>
#include <sstream>
#include <utility>

#include "base/text/nearest_name.h"
#include "gcsflux/flags.h"

namespace gcsflux::cli {
namespace {

using Words = std::span<const std::string>;

// What other programs call it, and its name here.
struct OtherName {
  std::string_view other;
  std::string_view ours;
};
constexpr OtherName kOtherCommands[] = {{"buckets create", "mb"},
                                        {"buckets delete", "rb"},
                                        {"buckets describe", "stat"},
                                        {"buckets list", "ls"},
                                        {"copy", "cp"},
                                        {"del", "rm"},
                                        {"delete", "rm"},
                                        {"dir", "ls"},
                                        {"get", "cp"},
                                        {"head", "stat"},
                                        {"info", "stat"},
                                        {"list", "ls"},
                                        {"move", "mv"},
                                        {"objects compose", "compose"},
                                        {"objects delete", "rm"},
                                        {"objects describe", "stat"},
                                        {"objects list", "ls"},
                                        {"objects update", "setmeta"},
                                        {"pipe", "cp -"},
                                        {"presign", "sign"},
                                        {"put", "cp"},
                                        {"remove", "rm"},
                                        {"rename", "mv"},
                                        {"rewrite", "cp"},
                                        {"rsync", "sync"},
                                        {"sign-url", "sign"},
                                        {"signurl", "sign"},
                                        {"tree", "ls -r"}};
constexpr OtherName kOtherFlags[] = {{"dryrun", "dry_run"},
                                     {"expire", "duration"},
                                     {"humanize", "human"},
                                     {"only_show_errors", "quiet"},
                                     {"region", "location"},
                                     {"human_readable", "human"},
                                     {"numworkers", "jobs"},
                                     {"readable_sizes", "human"},
                                     {"default_storage_class", "storage_class"},
                                     {"delete_unmatched_destination_objects", "delete"},
                                     {"enable_hierarchical_namespace", "hierarchical_namespace"},
                                     {"soft_delete_duration", "soft_delete"}};

// Empty if there is none.
std::string OurName(std::span<const OtherName> names, std::string_view other) {
  const auto found = std::ranges::find(names, other, &OtherName::other);
  return std::string(found == names.end() ? std::string_view() : found->ours);
}

// Whether the words begin with the command's.
bool IsAt(const Command& command, Words words) {
  if (words.empty()) return false;
  return command.name == words[0] || (words.size() > 1 && command.name == words[0] + " " + words[1]);
}

// Null if there is none.
const Command* CommandAt(Words words) {
  const auto found = std::ranges::find_if(Commands(), [&](const Command* one) { return IsAt(*one, words); });
  return found == Commands().end() ? nullptr : *found;
}

const CommandFlag* FlagWithLetter(std::span<const CommandFlag> flags, char letter) {
  const auto has = [&](const CommandFlag& flag) { return flag.letters.find(letter) != flag.letters.npos; };
  const auto found = std::ranges::find_if(flags, has);
  return found == flags.end() ? nullptr : &*found;
}

const CommandFlag* FlagNamed(std::span<const CommandFlag> flags, std::string_view name) {
  const auto found = std::ranges::find(flags, name, &CommandFlag::name);
  return found == flags.end() ? nullptr : &*found;
}

// The flags of a word like "-lh". Empty if it is not such a word.
std::vector<const CommandFlag*> FlagsOfLetters(const Command* command, std::string_view word) {
  std::vector<const CommandFlag*> flags;
  gflags::CommandLineFlagInfo unused;
  const bool is_name =
      gflags::GetCommandLineFlagInfo(std::string(word.substr(std::min<std::size_t>(1, word.size()))).c_str(), &unused);
  if (word.size() < 2 || word[0] != '-' || is_name) return flags;
  for (const char letter : word.substr(1)) {
    const CommandFlag* flag = command == nullptr ? nullptr : FlagWithLetter(command->flags, letter);
    if (flag == nullptr) flag = FlagWithLetter(CommonFlags(), letter);
    if (flag == nullptr) return {};
    flags.push_back(flag);
  }
  return flags;
}

// "--dryrun" is "--dry_run", also with a value.
std::string WithOurName(const std::string& word) {
  if (!word.starts_with("--")) return word;
  const std::size_t end = std::min(word.find('='), word.size());
  std::string name = word.substr(2, end - 2);
  std::ranges::replace(name, '-', '_');
  const std::string ours = OurName(kOtherFlags, name);
  return ours.empty() ? word : "--" + ours + word.substr(end);
}

// The text in lines of at most 100 columns, all but the first one indented.
std::string Wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t kColumns = 100;
  std::istringstream words(text);
  std::string lines;
  std::size_t column = indent;
  for (std::string word; words >> word; column += word.size() + 1) {
    if (column + word.size() > kColumns) {
      lines.append("\n").append(indent, ' ');
      column = indent;
    }
    lines.append(column == indent ? "" : " ").append(word);
  }
  return lines + "\n";
}

std::string LineOf(const CommandFlag& flag) {
  constexpr std::size_t kIndent = 24;
  std::string line = " ";
  for (const char letter : flag.letters) line.append(" -").append(1, letter).append(",");
  if (flag.name.empty()) line.pop_back();
  if (!flag.name.empty()) line.append(" --").append(flag.name);
  line.append(line.size() + 2 > kIndent ? 2 : kIndent - line.size(), ' ');
  return line + Wrapped(DescriptionOf(flag), kIndent);
}

std::string HelpOf(const Command& command) {
  std::string text = Usage(command) + "\n" + std::string(command.summary) + "\n" + std::string(command.details);
  if (!command.flags.empty()) text += "\nFlags:\n";
  for (const CommandFlag& flag : command.flags) text += LineOf(flag);
  return text;
}

std::string HelpOfProgram() {
  std::string text = "gcsflux COMMAND [flags] ...: Google Cloud Storage from the command line\n\nCommands:\n";
  constexpr std::size_t kIndent = 22;
  for (const Command* command : Commands()) {
    text.append("  ").append(command->name).append(kIndent - 2 - command->name.size(), ' ');
    text.append(command->summary).append("\n");
  }
  return text +
         "\n`gcsflux help COMMAND` or `gcsflux COMMAND --help` shows a command's help, `gcsflux version` the version.\n"
         "`gcsflux completion bash|zsh|fish` prints what completes commands and flags, `gcsflux man` a manual page.\n"
         "Names are gs://bucket/object (or gcs://); - is standard input or output.\n"
         "Exit status: 0 (success), 1 (the operation failed), 2 (wrong usage), 130 or 143 (ended by SIGINT or\n"
         "SIGTERM).\n";
}

// The flag is of all commands but those that print an object's bytes.
Error NoJson(const std::string& command) {
  return {ErrorCode::kInvalidArgument,
          "flag --json: '" + command + "' prints the bytes of objects as they are; gcsflux stat --json describes them"};
}

}  // namespace

std::string DescriptionOf(const CommandFlag& flag) {
  std::string text(flag.help);
  if (flag.name.empty()) return text;
  const auto info = gflags::GetCommandLineFlagInfoOrDie(std::string(flag.name).c_str());
  if (flag.help.empty()) text = info.description;
  if (info.type != "bool" && !info.default_value.empty())
    text.append(" Default: ").append(info.default_value).append(".");
  return text;
}

std::vector<std::string> ExpandLetters(const std::vector<std::string>& words) {
  const Command* command = nullptr;
  for (Words rest = words; command == nullptr && !rest.empty(); rest = rest.subspan(1)) command = CommandAt(rest);
  std::vector<std::string> expanded;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--") return expanded.insert(expanded.end(), word, words.end()), expanded;
    const auto flags = FlagsOfLetters(command, *word);
    if (flags.empty() || (*word == "-h" && words.size() <= 2)) {
      expanded.push_back(WithOurName(*word));
      continue;
    }
    for (const CommandFlag* flag : flags) {
      if (!flag->name.empty()) expanded.push_back("--" + std::string(flag->name));
    }
  }
  return expanded;
}

Result<const Command*> FindCommand(const std::vector<std::string>& arguments) {
  if (const Command* const command = CommandAt(arguments)) return command;
  std::string word = arguments.front();
  std::vector<std::string> names;
  for (const Command* command : Commands()) names.emplace_back(command->name);
  const auto is_of_group = [&](const std::string& name) { return name.starts_with(word + " "); };
  const bool is_group = std::ranges::any_of(names, is_of_group);
  const std::string help = (is_group ? "gcsflux help " + word : "gcsflux help") + " lists them";
  if (is_group && arguments.size() > 1) word += " " + arguments[1];
  std::string meant = OurName(kOtherCommands, word);
  if (const std::string two = arguments.size() > 1 ? word + " " + arguments[1] : ""; meant.empty()) {
    meant = OurName(kOtherCommands, two);
    if (!meant.empty()) word = two;
  }
  if (meant.empty() && !(is_group && arguments.size() == 1)) {
    meant = internal::NearestName(word, names);
  }
  return Error{ErrorCode::kInvalidArgument,
               "there is no command '" + word + "'; " + (meant.empty() ? "" : "did you mean '" + meant + "'? ") + help};
}

Result<void> CheckFlags(const Command& command, const std::set<std::string>& of_caller) {
  for (const Command* other : Commands()) {
    for (const CommandFlag& flag : other->flags) {
      if (flag.name.empty() || of_caller.contains(std::string(flag.name)) || FlagNamed(command.flags, flag.name) ||
          FlagNamed(CommonFlags(), flag.name))
        continue;
      if (gflags::GetCommandLineFlagInfoOrDie(std::string(flag.name).c_str()).is_default) continue;
      const std::string name(command.name);
      if (flag.name == "json") return NoJson(name);
      std::string message = "flag --" + std::string(flag.name) + " is not for the command '";
      message.append(name).append("'; gcsflux help ").append(name).append(" lists those that are");
      return Error{ErrorCode::kInvalidArgument, std::move(message)};
    }
  }
  return {};
}

Result<CommandCall> ReadCall(std::vector<std::string> arguments, const std::set<std::string>& of_caller) {
  if (arguments.empty()) {
    return Error{ErrorCode::kInvalidArgument, "a command is missing; gcsflux help lists them"};
  }
  const auto command = FindCommand(arguments);
  if (!command) return command.error();
  if (auto checked = CheckFlags(**command, of_caller); !checked) return checked.error();
  const bool has_two_words = (*command)->name.find(' ') != std::string_view::npos;
  arguments.erase(arguments.begin(), arguments.begin() + (has_two_words ? 2 : 1));
  if (arguments.size() < (*command)->min_arguments || arguments.size() > (*command)->max_arguments) {
    return Error{ErrorCode::kInvalidArgument, "usage: " + Usage(**command)};
  }
  return CommandCall{*command, std::move(arguments)};
}

std::string Usage(const Command& command) {
  return "gcsflux " + std::string(command.name) + " " + std::string(command.arguments);
}

Result<std::string> Help(const std::vector<std::string>& arguments, bool all) {
  std::string text;
  for (const Command* command : Commands()) {
    const bool is_of_group = arguments.size() == 1 && command->name.starts_with(arguments[0] + " ");
    if (!is_of_group && !IsAt(*command, arguments)) continue;
    text += (text.empty() ? "" : "\n") + HelpOf(*command);
  }
  if (arguments.empty()) text = HelpOfProgram();
  if (text.empty()) return FindCommand(arguments).error();
  text += "\nFlags of every command:\n";
  if (all) return text + FlagsHelp("");
  for (const CommandFlag& flag : CommonFlags()) text += LineOf(flag);
  return text + "  --help_all            All flags: connections, retries, memory, logs.\n";
}

}  // namespace gcsflux::cli
