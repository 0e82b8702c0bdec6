#include "cli/terminal/status_line.h"

#include <gflags/gflags.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "cli/terminal/progress.h"

DECLARE_bool(progress);
DECLARE_bool(quiet);

namespace gcsflux::cli {
namespace {

constexpr auto kBetweenFrames = std::chrono::milliseconds(200);
constexpr const char* kClearLine = "\r\033[K";

std::size_t Columns() {
  winsize size{};
  // The last column stays free, because some terminals wrap after it.
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) return size.ws_col - 1U;
  return 79;
}

void Write(const std::string& text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr)); }

}  // namespace

StatusLine::StatusLine(Text text, bool is_wanted)
    : text_(std::move(text)),
      has_terminal_(is_wanted && FLAGS_progress && !FLAGS_quiet && ::isatty(STDERR_FILENO) == 1) {
  if (!has_terminal_) return;
  try {
    shower_ = std::jthread([this](const std::stop_token& stop) { Show(stop); });
  } catch (const std::exception&) {
    // Without a thread there is no line; messages are still written.
  }
}

StatusLine::~StatusLine() = default;

double StatusLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void StatusLine::Say(const std::string& line) {
  const std::scoped_lock lock(terminal_);
  Write((has_terminal_ ? kClearLine : "") + Printable(line) + "\n");
}

void StatusLine::Show(const std::stop_token& stop) {
  std::unique_lock lock(terminal_);
  do {
    Write(kClearLine + text_(seconds(), Columns()));
    tick_.wait_for(lock, stop, kBetweenFrames, [] { return false; });
  } while (!stop.stop_requested());
  Write(kClearLine);
}

void StatusLine::End() {
  if (!shower_.joinable()) return;
  shower_.request_stop();
  shower_.join();
}

}  // namespace gcsflux::cli
