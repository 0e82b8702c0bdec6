#include <gflags/gflags.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <vector>

#include "cli/arguments/generation.h"
#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/copy/compressed_upload.h"
#include "cli/copy/copy_entries.h"
#include "cli/copy/copy_jobs.h"
#include "cli/copy/copy_run.h"
#include "cli/copy/special_files.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print_object.h"
#include "cli/terminal/transfer_monitor.h"

DECLARE_bool(json);
DEFINE_bool(do_not_decompress, false, "Files get the stored bytes of objects with Content-Encoding: gzip.");

namespace gcsflux::cli {
namespace {

// From a pipe, a device, or standard input, which are read in order, and once.
Result<void> UploadStream(const Client& client, const CopyRun& run, int in, const std::string& name,
                          const ObjectName& destination) {
  TransferMonitor monitor(TransferMonitor::Summary::kOfOne);
  TransferMonitor::Meter meter(monitor);
  UploadOptions options = WritingOf(run.route, name, destination);
  options.on_progress = [&](const Progress& progress) { meter.Set(progress.bytes); };
  options.stop = run.stop;
  const auto read = [&](std::span<std::byte> into) { return ReadSome(in, into, name, run.stop); };
  const auto stored = UploadFrom(client, read, destination, options);
  if (!stored && !(run.plan.skips_present && IsRefusedAsPresent(stored.error()))) return stored.error();
  if (stored) monitor.Expect(1, 0);
  stored ? monitor.NoteCopied(/*kept_bytes=*/0) : monitor.NoteSkipped();
  return monitor.Finish();
}

// The object that "gs://bucket/dir/" means for a source with this name.
Result<ObjectName> DestinationObject(const std::string& uri, const std::string& source) {
  auto destination = ParseUri(uri);
  if (!destination) return destination;
  if (!destination->name.empty() && !destination->name.ends_with('/')) return destination;
  if (source == "-") return Error{ErrorCode::kInvalidArgument, "standard input has no name: write gs://bucket/name"};
  destination->name += LastName(source);
  return destination;
}

Result<void> SayCopy(const std::string& from, const std::string& to) {
  TransferMonitor monitor(TransferMonitor::Summary::kOfDryRun);
  monitor.Expect(1, 0);
  PrintCopy("copy", from, to);
  std::cout.flush();
  return monitor.Finish();
}

Result<void> CopyFromStream(const Client& client, const CopyRun& run, const std::string& from, const std::string& to) {
  const auto destination = DestinationObject(to, from);
  if (!destination) return destination.error();
  if (run.is_dry) return SayCopy(from, ToUri(*destination));
  if (from == "-") return UploadStream(client, run, STDIN_FILENO, "standard input", *destination);
  const auto opened = OpenSpecialSource(from);
  if (!opened) return opened.error();
  return UploadStream(client, run, ::fileno(opened->get()), from, *destination);
}

Result<void> CopyIntoStream(const Client& client, const CopyRun& run, const std::string& from, const std::string& to) {
  const auto object = ParseObject(from);
  if (!object) return object.error();
  const auto source = ResolveGeneration(client, *object, run.stop);
  if (!source) return source.error();
  if (run.is_dry) return SayCopy(from, to);
  if (FLAGS_json && to == "-") {
    return Error{ErrorCode::kInvalidArgument, "--json would be among the bytes on standard output"};
  }
  ObjectReaderOptions options = run.stream_reading;
  options.generation = source->generation;
  options.stop = run.stop;
  if (to == "-") return PrintWithProgress(client, options, source->object, stdout, "standard output");
  const auto file = OpenSpecialDestination(to, run.stop);
  if (!file) return file.error();
  return PrintWithProgress(client, options, source->object, file->get(), to);
}

// A pipe, a device or a link to a descriptor, which must not be replaced.
bool IsLocalStream(const std::string& path) { return IsLocalSpecialFile(path) || OwnDescriptorAt(path); }

Result<void> Copy(const Client& client, const std::vector<std::string>& arguments) {
  const std::string& from = arguments.front();
  std::string to = arguments.back();
  auto run = CopyRunFromFlags();
  if (!run) return run.error();
  auto compressed = GzipRule::FromFlags();
  if (!compressed) return compressed.error();
  run->route.compressed = *std::move(compressed);
  run->route.decompresses_gzip = !FLAGS_do_not_decompress;
  if (arguments.size() == 2) {
    if (!IsUri(from) && !IsUri(to)) return NoUriAmong(from, to);
    if (!IsUri(from) && (from == "-" || IsLocalSpecialFile(from))) return CopyFromStream(client, *run, from, to);
    if (!IsUri(to) && IsLocalDirectory(to)) to = AsDirectory(to) + LastName(from);
    if (!IsUri(to) && (to == "-" || IsLocalStream(to))) return CopyIntoStream(client, *run, from, to);
  }
  return CopyEntries(client, arguments, *run);
}

constexpr auto kCpFlags =
    WithFilterFlags({{"recursive", "rR", "Everything in the directory, or under the prefix."},
                     {"no_clobber", "n"},
                     {"", "f", "Accepted: without -n, a copy replaces what exists."},
                     {"content_type", "", "Content type. If empty: by the extension, or the source's."},
                     {"cache_control"},
                     {"gzip_local", "z", "Compress uploads of these extensions (html,txt): Content-Encoding is gzip."},
                     {"gzip_local_all", "Z"},
                     {"do_not_decompress"},
                     {"metadata", "", "Custom metadata of what is written: key=value,key=value."},
                     {"compare", "",
                      "With -r, what is the same, and skipped: checksum (size and CRC32C), or mtime (size, and the "
                      "destination is not older)."},
                     {"dry_run"},
                     {"json"}});

}  // namespace

constinit const Command kCp = {
    .name = "cp",
    .arguments = "SOURCE... DESTINATION",
    .summary = "Copy objects and files: gs:// or local on either side, - is a pipe.",
    .details =
        "If DESTINATION ends in /, is a bucket, or is an existing local directory, the copy keeps the source's last\n"
        "name. With --recursive the source is a directory. Its copy is named DESTINATION; if DESTINATION ends in /,\n"
        "the copy is put into it. What exists and is the same is skipped. Sources may be NAME#GENERATION, or have the\n"
        "wildcards * ** ? [a-z] {a,b}. An object is visible, and a local file exists, only when it is complete and\n"
        "its checksum is right. To continue after an interruption, run the same command again. Until then, or until\n"
        "gcsflux clean, the parts of a large upload stay in the bucket.\n",
    .flags = kCpFlags,
    .min_arguments = 2,
    .run = Copy,
    .is_resumable = true,
};

}  // namespace gcsflux::cli
