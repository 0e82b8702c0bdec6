#include "cli/transfer_monitor.h"

#include <gflags/gflags.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

DEFINE_bool(progress, true,
            "cp, sync, cat: a progress bar, where standard error is a terminal (of cat, and standard output is none).");

namespace gcsflux::cli {
namespace {

constexpr auto kBetweenFrames = std::chrono::milliseconds(200);
constexpr const char* kClearLine = "\r\033[K";

std::size_t Columns() {
  winsize size{};
  // The last column is left free: some terminals wrap when it is written.
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) return size.ws_col - 1U;
  return 79;
}

void Write(const std::string& text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr)); }

}  // namespace

TransferMonitor::TransferMonitor(Summary summary)
    : summary_(summary), has_terminal_(FLAGS_progress && ::isatty(STDERR_FILENO) == 1) {
  if (has_terminal_) bar_ = std::jthread([this](const std::stop_token& stop) { Show(stop); });
}

TransferMonitor::~TransferMonitor() = default;

void TransferMonitor::Expect(std::uint64_t objects, std::uint64_t bytes) {
  objects_ += objects;
  bytes_ += bytes;
}

void TransferMonitor::NoteCopied(std::uint64_t kept_bytes) {
  ++copied_;
  moved_bytes_ -= kept_bytes;
  kept_bytes_ += kept_bytes;
}

void TransferMonitor::NoteFailure(const Error& error) {
  ++failed_;
  Say("gcsflux: " + error.message);
}

void TransferMonitor::Say(const std::string& line) {
  const std::scoped_lock lock(terminal_);
  Write((has_terminal_ ? kClearLine : "") + Printable(line) + "\n");
}

void TransferMonitor::Show(const std::stop_token& stop) {
  std::unique_lock lock(terminal_);
  do {
    Write(kClearLine + ProgressLine(counts(), seconds(), Columns()));
    tick_.wait_for(lock, stop, kBetweenFrames, [] { return false; });
  } while (!stop.stop_requested());
  Write(kClearLine);
}

double TransferMonitor::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

TransferCounts TransferMonitor::counts() const {
  return {.objects = objects_,
          .bytes = bytes_,
          .copied = copied_,
          .moved_bytes = moved_bytes_,
          .kept_bytes = kept_bytes_,
          .skipped = skipped_,
          .failed = failed_,
          .deleted = deleted_};
}

Result<void> TransferMonitor::Finish() {
  if (has_terminal_) {
    bar_.request_stop();
    bar_.join();
  }
  const TransferCounts counts = this->counts();
  if (summary_ == Summary::kOfDryRun) {
    Say("gcsflux: " + DryRunLine(counts));
  } else if (summary_ == Summary::kAlways || has_terminal_ || counts.kept_bytes > 0) {
    Say("gcsflux: " + SummaryLine(counts, seconds()));
  }
  if (counts.failed == 0) return {};
  return Error{ErrorCode::kLocalIo, std::to_string(counts.failed) + " failed, for the reasons above"};
}

}  // namespace gcsflux::cli
