#include "cli/terminal/confirmation.h"

#include <unistd.h>

#include <iostream>

#include "base/text/lower_case.h"
#include "cli/terminal/progress.h"

namespace gcsflux::cli {

bool CanAsk() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

bool Ask(const std::string& question) {
  std::cerr << "gcsflux: " << Printable(question) << " [y/N] " << std::flush;
  std::string answer;
  if (!std::getline(std::cin, answer)) return false;
  answer = internal::LowerCase(answer);
  return answer == "y" || answer == "yes";
}

}  // namespace gcsflux::cli
