#include "cli/commands.h"

#include <gflags/gflags.h>

#include <iomanip>
#include <iostream>

#include "cli/checkpoint/checkpoint.h"
#include "cli/clean.h"
#include "cli/concatenate.h"
#include "cli/copy/copy.h"
#include "cli/copy/sync.h"
#include "cli/list.h"
#include "cli/remove.h"
#include "cli/terminal/output.h"

DEFINE_bool(recursive, false,
            "ls, rm, cp: everything under the prefix or in the directory, instead of one level or one "
            "object.");
DEFINE_bool(r, false, "ls, rm, cp: short for --recursive.");
DEFINE_string(location, "",
              "mb: location of the bucket, such as US or EUROPE-WEST4. If empty, Cloud Storage's default.");

namespace gcsflux::cli {
namespace {

using Arguments = std::vector<std::string>;
constexpr std::size_t kAny = 1'000'000;

Result<void> MakeBuckets(const Client& client, const Arguments& uris) {
  for (const std::string& uri : uris) {
    const auto bucket = ParseBucket(uri);
    if (!bucket) return bucket.error();
    if (auto made = client.InsertBucket(bucket->bucket, {.location = FLAGS_location}); !made) return made.error();
  }
  return {};
}

Result<void> Stat(const Client& client, const Arguments& uris) {
  for (const std::string& uri : uris) {
    const auto name = ParseObject(uri);
    if (!name) return name.error();
    const auto object = client.GetObject(*name, {.with_md5_hash = true});
    if (!object) return object.error();
    std::cout << Shown(uri) << "\n  size:            " << object->size << "\n  generation:      " << object->generation
              << "\n  metageneration:  " << object->metageneration
              << "\n  content type:    " << Shown(object->content_type);
    if (!object->content_encoding.empty()) std::cout << "\n  encoding:        " << Shown(object->content_encoding);
    std::cout << "\n  storage class:   " << Shown(object->storage_class)
              << "\n  created:         " << Iso8601(object->time_created)
              << "\n  updated:         " << Iso8601(object->updated);
    if (object->crc32c) {
      std::cout << "\n  crc32c:          " << std::hex << std::setfill('0') << std::setw(8) << *object->crc32c
                << std::dec << std::setfill(' ');
    }
    if (!object->md5_hash.empty()) std::cout << "\n  md5 (base64):    " << Shown(object->md5_hash);
    std::cout << "\n  etag:            " << Shown(object->etag) << '\n';
    for (const auto& [key, value] : object->metadata) {
      std::cout << "  metadata." << Shown(key) << ": " << Shown(value) << '\n';
    }
  }
  return {};
}

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> kCommands = {
      {"mb", "gs://BUCKET...", "Make buckets.", "A new bucket needs a project: --project or GOOGLE_CLOUD_PROJECT.\n", 1,
       kAny, MakeBuckets},
      {"ls", "[gs://BUCKET[/PREFIX]...]", "List objects under a prefix; without one, the project's buckets.",
       "Lists one directory level. --recursive lists all levels by many calls at the same time, and prints meanwhile.\n"
       "--long adds size, time and generation. --json prints one JSON object per line. --count counts all levels.\n",
       0, kAny, List},
      {"cp", "SOURCE... DESTINATION", "Copy objects and files: gs:// or local on either side, - is a pipe.",
       "If DESTINATION ends in /, is a bucket, or is an existing local directory, the copy keeps the source's last\n"
       "name. With --recursive the source is a directory. Its copy is named DESTINATION; if DESTINATION ends in /, "
       "the\n"
       "copy is put into it. Files and objects that exist and are the same are skipped. An object is visible, and a\n"
       "local file exists, only when it is complete and its checksum is right. To continue after an interruption, run\n"
       "the same command again. The parts of a large upload stay in the bucket until then, or until gcsflux clean:\n"
       "docs/command_line.md.\n",
       2, kAny, Copy, true},
      {"sync", "SOURCE DESTINATION", "Copy what is new or different in a directory to another one.",
       "Both are directories: gs://BUCKET[/PREFIX], or one of them a local directory. If a file or object exists at\n"
       "DESTINATION with the same size and CRC32C, it is skipped; --compare=mtime compares sizes and times instead.\n"
       "--delete removes what the source does not have. --dry_run only prints what would be done.\n",
       2, 2, Sync, true},
      {"cat", "gs://BUCKET/OBJECT...", "Write objects to standard output, one after the other.",
       "Several objects are fetched ahead, --max_concurrency at a time, and a large one with as many requests. After\n"
       "exit status 1, do not use the output.\n",
       1, kAny, Concatenate},
      {"stat", "gs://BUCKET/OBJECT...", "Show what Cloud Storage knows about objects.", "", 1, kAny, Stat},
      {"rm", "gs://BUCKET[/OBJECT]...", "Remove objects, or a bucket that is empty.",
       "With --recursive, removes everything in the directory of that name (of a bucket: its objects, not itself).\n",
       1, kAny, Remove},
      {"clean", "gs://BUCKET|gs://BUCKET/RUN/...", "Remove temporary objects and uploads that ended processes left.",
       "Removes composed objects under dataflux-composed-objects/, also those of Google's connector for PyTorch, and\n"
       "objects and unfinished uploads under gcsflux-uploads/, if they are older than --older_than (30s, 10m, 1h, "
       "2d).\n"
       "With the prefix of a training run and its '/': files of interrupted saves and removals, that no manifest "
       "names.\n"
       "Their age counts up to the run's newest object.\n",
       1, kAny, Clean, true},
      {"checkpoint", "inspect|verify|convert|diff|ls|rm|prune CHECKPOINT [CHECKPOINT] | RUN [STEP]",
       "Look at checkpoints of PyTorch and safetensors, gs:// or local, and at the steps of training runs.",
       "inspect CHECKPOINT: shows names, types, shapes and bytes of its tensors; reads only the index.\n"
       "verify CHECKPOINT: reads everything, compares it with its checksums, and shows what they cover.\n"
       "convert FROM TO: converts a file of torch.save to safetensors, or the other way round.\n"
       "With --shards=N: to N files of safetensors, as a step that N processes saved, or in a folder.\n"
       "diff FIRST SECOND: shows which tensors differ, and by how much. If one does, the exit status is 1.\n"
       "The bytes tell the format: a file of torch.save, an archive of libtorch, safetensors, or an index of them.\n"
       "No code in them is executed.\n"
       "For a training run, given by its prefix, gs://my-bucket/runs/7/:\n"
       "ls RUN: shows its steps, their bytes, times and metrics, and which steps are damaged or unfinished, and why.\n"
       "verify RUN/: reads all files and compares them with the manifests. If a step is damaged or incomplete, the\n"
       "exit status is 1.\n"
       "rm RUN STEP: removes a step, but never the last complete one, and none that is being saved.\n"
       "prune RUN: removes complete steps, except those that --keep_last, --keep_best, --keep_every, --keep_hourly\n"
       "and --keep_daily keep. Then it removes files of unfinished saves that are older than --older_than. --dry_run\n"
       "prints what it would remove.\n"
       "--json prints one JSON object per line.\n",
       2, 3, RunCheckpoint},
  };
  return kCommands;
}

}  // namespace gcsflux::cli
