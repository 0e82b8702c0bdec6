#include "cli/terminal/output.h"

#include <fcntl.h>
#include <gflags/gflags.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <utility>

#include "base/text/printable.h"
#include "cli/terminal/progress.h"

DECLARE_bool(dry_run);
DECLARE_bool(human);
DECLARE_bool(json);
DECLARE_bool(quiet);

namespace gcsflux::cli {

void OpenClosedDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // It is the lowest free one, so open() takes it.
    static_cast<void>(!::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY));
  }
}

std::string Shown(std::string text) {
  static const bool kIsTerminal = ::isatty(STDOUT_FILENO) == 1;
  return kIsTerminal ? internal::Printable(std::move(text), '?') : text;
}

Result<void> FlushOutput() {
  std::cout.flush();
  const bool is_flushed = std::fflush(stdout) == 0;
  if (std::cout && is_flushed && std::ferror(stdout) == 0) return {};
  return Error{ErrorCode::kLocalIo, "standard output could not be written"};
}

void PrintLine(std::string line) { std::cout << Shown(std::move(line)) << '\n'; }

void SayDone(const std::string& what) {
  if (!FLAGS_quiet) std::cerr << "gcsflux: " + Printable(what) + "\n";
}

JsonObject JsonOf(const Change& change, const std::string& uri) {
  JsonObject line;
  FLAGS_dry_run ? line.Add("action", change.action) : line.Add("done", change.done);
  return line.Add("uri", uri);
}

void PrintChange(const Change& change, const std::string& uri) {
  if (FLAGS_json) return PrintLine(JsonOf(change, uri).text());
  if (FLAGS_dry_run) PrintLine(std::string(change.action) + " " + uri);
}

std::string SizeText(std::uint64_t bytes) {
  return FLAGS_human ? BytesText(static_cast<double>(bytes)) : std::to_string(bytes);
}

std::string Hex(std::uint32_t number) {
  std::array<char, 16> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%08x", number));
  return text.data();
}

std::string Iso8601(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  static_cast<void>(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc));
  return text.data();
}

}  // namespace gcsflux::cli
