#include "cli/completion.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "gcsflux/version.h"

namespace gcsflux::cli {
namespace {

std::string_view FirstWord(std::string_view name) { return name.substr(0, name.find(' ')); }
std::string_view SecondWord(std::string_view name) {
  const auto space = name.find(' ');
  return space == name.npos ? std::string_view() : name.substr(space + 1);
}

std::string Replaced(std::string_view text, char wanted, std::string_view replacement) {
  std::string replaced;
  for (const char c : text) c == wanted ? replaced.append(replacement) : replaced.append(1, c);
  return replaced;
}

// --name and -l of each flag.
std::string Spellings(std::span<const CommandFlag> flags) {
  std::string words;
  for (const CommandFlag& flag : flags) {
    if (!flag.name.empty()) words.append("--").append(flag.name).append(" ");
    for (const char letter : flag.letters) words.append("-").append(1, letter).append(" ");
  }
  return words;
}

// By the first words: what may follow. The empty one has all of them.
std::map<std::string, std::string> WordsThatFollow() {
  std::map<std::string, std::string> words;
  std::set<std::string_view> firsts;
  for (const Command* command : Commands()) {
    const std::string_view first = FirstWord(command->name);
    const std::string_view second = SecondWord(command->name);
    if (firsts.insert(first).second) words["help"].append(first).append(" ");
    if (!second.empty()) words[std::string(first)].append(second).append(" ");
  }
  words[""] = words["help"] + "completion help man version ";
  words["completion"] = "bash zsh fish ";
  return words;
}

std::string BashScript() {
  std::string script =
      "_gcsflux() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} command='' words='' i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    [[ ${COMP_WORDS[i]} == -* ]] || command+=\"${command:+ }${COMP_WORDS[i]}\"\n"
      "  done\n"
      "  case \"$command \" in\n";
  const std::string common = Spellings(CommonFlags());
  for (const Command* command : Commands()) {
    script.append("    '").append(command->name).append(" '*) [[ $current == -* ]] && words='");
    script.append(Spellings(command->flags)).append(common).append("' ;;\n");
  }
  for (const auto& [first, words] : WordsThatFollow()) {
    script.append("    '").append(first).append(" ') words='").append(words).append("' ;;\n");
  }
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _gcsflux gcsflux\n";
}

std::string FishScript() {
  std::string script;
  const auto quoted = [](std::string_view text) {
    return "'" + Replaced(Replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
  };
  const auto add = [&](const std::string& condition, const std::string& what, std::string_view description) {
    script.append("complete -c gcsflux -n ").append(quoted(condition)).append(what);
    script.append(description.empty() ? "" : " -d " + quoted(description)).append("\n");
  };
  const auto add_flag = [&](const std::string& condition, const CommandFlag& flag) {
    std::string what;
    if (!flag.name.empty()) what.append(" -l ").append(flag.name);
    for (const char letter : flag.letters) what.append(" -s ").append(1, letter);
    add(condition, what, DescriptionOf(flag));
  };
  const auto is_after = [](std::string_view word, std::string_view relation, std::string_view words) {
    constexpr std::string_view kSeen = "__fish_seen_subcommand_from ";
    return std::string(kSeen).append(word).append(relation).append(kSeen).append(words);
  };
  for (const auto& [first, words] : WordsThatFollow()) {
    add(first.empty() ? "__fish_use_subcommand" : is_after(first, "; and not ", words),
        std::string(" -f -a '").append(words).append("'"), "");
  }
  for (const Command* command : Commands()) {
    const std::string_view first = FirstWord(command->name);
    const std::string_view second = SecondWord(command->name);
    const std::string condition = second.empty() ? is_after(first, "; and not ", "checkpoint runs shards help")
                                                 : is_after(first, "; and ", second);
    for (const CommandFlag& flag : command->flags) add_flag(condition, flag);
  }
  for (const CommandFlag& flag : CommonFlags()) add_flag("not __fish_use_subcommand", flag);
  return script;
}

// A line that begins with a dot or a quote would be a command of man's.
std::string Roff(std::string_view text) {
  const std::string escaped = Replaced(Replaced(text, '\\', "\\e"), '-', "\\-");
  const bool is_command = !escaped.empty() && (escaped.front() == '.' || escaped.front() == '\'');
  return (is_command ? "\\&" : "") + escaped;
}

std::string RoffOf(const CommandFlag& flag) {
  std::string spelled;
  for (const char letter : flag.letters) spelled.append(spelled.empty() ? "-" : ", -").append(1, letter);
  if (!flag.name.empty()) spelled.append(spelled.empty() ? "--" : ", --").append(flag.name);
  return ".TP\n.B " + Roff(spelled) + "\n" + Roff(DescriptionOf(flag)) + "\n";
}

}  // namespace

Result<std::string> CompletionScript(std::string_view shell) {
  if (shell == "bash") return BashScript();
  if (shell == "zsh") return "autoload -Uz compinit bashcompinit\ncompinit -u\nbashcompinit\n" + BashScript();
  if (shell == "fish") return FishScript();
  return Error{ErrorCode::kInvalidArgument, "completion is for bash, zsh and fish; write gcsflux completion bash"};
}

std::string ManPage() {
  std::string page = ".TH GCSFLUX 1 \"\" \"gcsflux " + Roff(kVersion) + "\"\n";
  page +=
      ".SH NAME\ngcsflux \\- Google Cloud Storage from the command line\n.SH SYNOPSIS\n.B gcsflux\nCOMMAND [flags] "
      "...\n";
  page += ".SH COMMANDS\n";
  for (const Command* command : Commands()) {
    page += ".SS " + Roff(Usage(*command)) + "\n" + Roff(command->summary) + "\n";
    for (std::string_view rest = command->details; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      page += Roff(line) + "\n";
    }
    for (const CommandFlag& flag : command->flags) page += RoffOf(flag);
  }
  page += ".SH FLAGS OF EVERY COMMAND\n";
  for (const CommandFlag& flag : CommonFlags()) page += RoffOf(flag);
  return page +
         ".SH EXIT STATUS\n0 (success), 1 (the operation failed), 2 (wrong usage), 130 or 143 (ended by SIGINT or "
         "SIGTERM).\n"
         ".SH ENVIRONMENT\n.TP\n.B STORAGE_EMULATOR_HOST\nAn endpoint to use instead of Cloud Storage.\n"
         ".TP\n.B GOOGLE_APPLICATION_CREDENTIALS\nA credential file.\n.TP\n.B GOOGLE_CLOUD_PROJECT\n"
         "The project for making and listing buckets.\n";
}

}  // namespace gcsflux::cli
