#include "cli/terminal/transfer_monitor.h"

namespace gcsflux::cli {
TransferMonitor::TransferMonitor(Summary summary)
    : summary_(summary),
      status_([this](double seconds, std::size_t columns) { return ProgressLine(counts(), seconds, columns); }) {}

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
  status_.End();
  const TransferCounts counts = this->counts();
  if (summary_ == Summary::kOfDryRun) {
    Say("gcsflux: " + DryRunLine(counts));
  } else if (summary_ == Summary::kAlways || status_.has_terminal() || counts.kept_bytes > 0) {
    Say("gcsflux: " + SummaryLine(counts, status_.seconds()));
  }
  if (counts.failed == 0) return {};
  return Error{ErrorCode::kLocalIo, std::to_string(counts.failed) + " failed, for the reasons above"};
}

}  // namespace gcsflux::cli
