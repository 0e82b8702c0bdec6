#include "cli/terminal/transfer_monitor.h"

#include <gflags/gflags.h>

#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"

DECLARE_bool(json);
DECLARE_bool(quiet);

namespace gcsflux::cli {
namespace {

JsonObject JsonOf(const TransferCounts& counts) {
  JsonObject json;
  json.Add("objects", counts.objects).Add("bytes", counts.bytes).Add("copied", counts.copied);
  json.Add("moved_bytes", counts.moved_bytes).Add("kept_bytes", counts.kept_bytes);
  return json.Add("skipped", counts.skipped).Add("deleted", counts.deleted).Add("failed", counts.failed);
}

}  // namespace

TransferMonitor::TransferMonitor(Summary summary, bool is_shown)
    : summary_(summary),
      status_([this](double seconds, std::size_t columns) { return ProgressLine(counts(), seconds, columns); },
              is_shown) {}

TransferMonitor::~TransferMonitor() = default;

void TransferMonitor::Add(const TransferCounts& more) {
  const std::scoped_lock lock(mutex_);
  counts_.objects += more.objects;
  counts_.bytes += more.bytes;
  counts_.skipped += more.skipped;
  counts_.deleted += more.deleted;
}

void TransferMonitor::NoteSame(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  --counts_.objects;
  counts_.bytes -= bytes;
  ++counts_.skipped;
}

void TransferMonitor::NoteCopied(std::uint64_t kept_bytes) {
  const std::scoped_lock lock(mutex_);
  ++counts_.copied;
  counts_.moved_bytes -= kept_bytes;
  counts_.kept_bytes += kept_bytes;
}

void TransferMonitor::NoteFailure(const Error& error) {
  if (summary_ != Summary::kOfOne) Say("gcsflux: " + error.message);
  const std::scoped_lock lock(mutex_);
  ++counts_.failed;
  if (!failure_) failure_ = error;
}

Result<void> TransferMonitor::Finish() {
  status_.End();
  const TransferCounts counts = this->counts();
  if (failure_ && summary_ == Summary::kOfOne) return *std::move(failure_);
  const bool is_worth_it =
      summary_ != Summary::kOfOne || status_.has_terminal() || counts.kept_bytes > 0 || counts.skipped > 0;
  if (FLAGS_json) {
    PrintLine(JsonOf(counts).text());
  } else if (is_worth_it && !FLAGS_quiet) {
    const bool is_dry = summary_ == Summary::kOfDryRun;
    Say("gcsflux: " + (is_dry ? DryRunLine(counts) : SummaryLine(counts, status_.seconds())));
  }
  if (counts.failed == 0) return {};
  return Error{ErrorCode::kLocalIo, std::to_string(counts.failed) + " failed, for the reasons above"};
}

}  // namespace gcsflux::cli
