#include <gflags/gflags.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <utility>
#include <vector>

#include "base/messages/local_error.h"
#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/copy/copy_flags.h"
#include "cli/copy/copy_trees.h"
#include "cli/copy/rewrite.h"
#include "cli/copy/special_files.h"
#include "cli/copy/upload_file.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print_object.h"
#include "cli/terminal/transfer_monitor.h"
#include "gcsflux/download_file.h"

DECLARE_bool(recursive);

namespace gcsflux::cli {
namespace {

namespace fs = std::filesystem;
using internal::LocalError;

// A copy of one file or object, reported to a monitor.
class SingleCopy {
 public:
  SingleCopy(const Client& client, CopyRun run)
      : client_(client),
        run_(std::move(run)),
        monitor_(run_.is_dry ? TransferMonitor::Summary::kOfDryRun : TransferMonitor::Summary::kWhereTold) {}

  Result<void> Upload(const std::string& source, const ObjectName& destination) {
    if (run_.is_dry) return Say(source, ToUri(destination));
    if (source == "-") return Ended(UploadStream(STDIN_FILENO, "standard input", destination));
    if (IsLocalDirectory(source)) {
      return Error{ErrorCode::kLocalIo, "'" + source + "' is a directory; --recursive copies directories"};
    }
    if (IsLocalSpecialFile(source)) {  // A pipe, which can be read only once.
      const auto opened = OpenSpecialSource(source);
      if (!opened) return opened.error();
      return Ended(UploadStream(opened->number(), source, destination));
    }
    std::error_code unknown;
    const auto bytes = fs::file_size(source, unknown);
    if (!unknown) Expect(bytes);
    UploadOptions options = WriterOptions();
    options.max_concurrency = std::min(options.max_concurrency, run_.max_concurrency);
    return Ended(UploadResumably(client_, source, destination, options));
  }

  Result<void> Download(const ObjectName& source, std::string destination) {
    if (destination.ends_with('/') || IsLocalDirectory(destination)) {
      destination = (fs::path(destination) / LastName(source.name)).string();
    }
    if (run_.is_dry) return Say(ToUri(source), destination);
    // A pipe, a device or a link to a descriptor must not be replaced.
    if (IsLocalSpecialFile(destination) || OwnDescriptorAt(destination)) {
      const auto file = OpenSpecialDestination(destination, run_.stop);
      if (!file) return file.error();
      return Ended(Print(source, file->get(), destination));
    }
    const auto downloaded = DownloadFile(client_, source, destination,
                                         {.may_replace = !run_.plan.skips_present,
                                          .max_concurrency = run_.max_concurrency,
                                          .on_progress = Watch(),
                                          .stop = run_.stop});
    if (!downloaded) return Ended(downloaded.error());
    meter_.Set(downloaded->source.size);
    return Ended(downloaded->kept_bytes);
  }

  Result<void> CopyWithin(const ObjectName& source, const ObjectName& destination) {
    if (run_.is_dry) return Say(ToUri(source), ToUri(destination));
    RewriteCall call{.may_replace = !run_.plan.skips_present, .on_progress = Watch(), .stop = run_.stop};
    if (run_.route.gives_content_type) call.content_type = run_.route.writing.attributes.content_type;
    if (auto copied = Rewrite(client_, source, destination, call); !copied) return Ended(copied.error());
    return Ended(std::uint64_t{0});
  }

  Result<void> PrintOut(const ObjectName& source) { return Ended(Print(source, stdout, "standard output")); }

 private:
  void Expect(std::uint64_t bytes) {
    std::call_once(expected_, [&] { monitor_.Expect(1, bytes); });
  }

  ProgressCallback Watch() {
    return [this](const Progress& progress) {
      Expect(progress.total);
      meter_.Set(progress.bytes);
    };
  }

  UploadOptions WriterOptions() {
    UploadOptions options = run_.route.writing;
    options.on_progress = meter_.callback();
    options.stop = run_.stop;
    return options;
  }

  Result<void> Say(const std::string& from, const std::string& to) {
    std::cout << "copy " << Shown(from) << " to " << Shown(to) << '\n';
    monitor_.Expect(1, 0);
    return monitor_.Finish();
  }

  // Here an error is the command's own, not one of many.
  Result<void> Ended(const Result<std::uint64_t>& kept_bytes) {
    if (!kept_bytes) return kept_bytes.error();
    Expect(0);
    monitor_.NoteCopied(*kept_bytes);
    return monitor_.Finish();
  }

  Result<std::uint64_t> UploadStream(int in, const std::string& name, const ObjectName& destination) {
    ObjectWriter writer(client_, destination, WriterOptions());
    std::vector<std::byte> block(1U << 20);
    while (true) {
      const auto count = ReadSome(in, block, name, run_.stop);
      if (!count) return count.error();
      if (*count == 0) break;
      if (auto written = writer.Write(std::span(block).first(*count)); !written) return written.error();
    }
    if (const auto stored = writer.Close(); !stored) return stored.error();
    return std::uint64_t{0};
  }

  Result<std::uint64_t> Print(const ObjectName& source, std::FILE* out, const std::string& name) {
    const auto write = [&](std::span<const std::byte> data) -> Result<void> {
      if (std::fwrite(data.data(), 1, data.size(), out) != data.size()) return LocalError("write", name);
      return {};
    };
    ObjectReaderOptions options = run_.stream_reading;
    options.stop = run_.stop;
    const auto read = ObjectPrinter(client_, std::move(options)).Print(source, write, Watch());
    if (!read) return read.error();
    if (std::fflush(out) != 0) return LocalError("write", name);
    return std::uint64_t{0};
  }

  const Client& client_;
  const CopyRun run_;
  TransferMonitor monitor_;
  TransferMonitor::Meter meter_{monitor_};
  std::once_flag expected_;
};

// The object that "gs://bucket/dir/" means for a source with this name.
Result<ObjectName> Destination(const std::string& uri, const std::string& source) {
  auto destination = ParseUri(uri);
  if (!destination) return destination;
  if (!destination->name.empty() && !destination->name.ends_with('/')) return destination;
  if (source == "-") return Error{ErrorCode::kInvalidArgument, "standard input has no name: write gs://bucket/name"};
  destination->name += LastName(source);
  return destination;
}

Result<void> CopyOne(const Client& client, const std::string& from, const std::string& to) {
  if (!IsUri(from) && !IsUri(to)) return NoUriAmong(from, to);
  auto run = CopyRunFromFlags();
  if (!run) return run.error();
  std::optional<ObjectName> source;
  if (IsUri(from)) {
    auto parsed = ParseObject(from);
    if (!parsed) return parsed.error();
    source = *std::move(parsed);
  }
  SingleCopy copy(client, *std::move(run));
  if (!IsUri(to)) return to == "-" ? copy.PrintOut(*source) : copy.Download(*source, to);
  const auto destination = Destination(to, source ? source->name : from);
  if (!destination) return destination.error();
  return source ? copy.CopyWithin(*source, *destination) : copy.Upload(from, *destination);
}

// True if there is no directory of this name, so that it means a file or an object.
Result<bool> IsOne(const Client& client, const std::string& source) {
  if (IsDirectoryBySpelling(source)) return false;
  if (!IsUri(source)) return !IsLocalDirectory(source);
  const auto root = RootAt(source);
  if (!root) return root.error();
  const auto page =
      client.ListObjects({root->bucket, root->prefix}, {.max_results = 1, .fields = "name", .stop = StopOnSignal()});
  if (!page) return page.error();
  return page->objects.empty() && page->next_page_token.empty();
}

Result<void> Copy(const Client& client, const std::vector<std::string>& arguments) {
  if (arguments.size() > 2) return CopyTrees(client, arguments);
  if (!FLAGS_recursive) return CopyOne(client, arguments[0], arguments[1]);
  const auto is_one = IsOne(client, arguments[0]);
  if (!is_one) return is_one.error();
  return *is_one ? CopyOne(client, arguments[0], arguments[1]) : CopyTrees(client, arguments);
}

}  // namespace

constinit const Command kCp = {
    .name = "cp",
    .arguments = "SOURCE... DESTINATION",
    .summary = "Copy objects and files: gs:// or local on either side, - is a pipe.",
    .details =
        "If DESTINATION ends in /, is a bucket, or is an existing local directory, the copy keeps the source's last\n"
        "name. With --recursive the source is a directory. Its copy is named DESTINATION; if DESTINATION ends in /,\n"
        "the copy is put into it. Files and objects that exist and are the same are skipped. An object is visible,\n"
        "and a local file exists, only when it is complete and its checksum is right. To continue after an\n"
        "interruption, run the same command again. The parts of a large upload stay in the bucket until then, or\n"
        "until gcsflux clean: docs/command_line.md.\n",
    .min_arguments = 2,
    .run = Copy,
    .is_resumable = true,
};

}  // namespace gcsflux::cli
