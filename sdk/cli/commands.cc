#include "cli/commands.h"

#include <gflags/gflags.h>

#include <iomanip>
#include <iostream>

#include "cli/checkpoint.h"
#include "cli/clean.h"
#include "cli/concatenate.h"
#include "cli/copy.h"
#include "cli/list.h"
#include "cli/output.h"
#include "cli/remove.h"
#include "cli/sync.h"

DEFINE_bool(recursive, false,
            "ls, rm, cp: everything under the prefix or in the directory, not one level or one object.");
DEFINE_bool(r, false, "ls, rm, cp: short for --recursive.");
DEFINE_string(location, "", "mb: where the bucket lies, as US or EUROPE-WEST4. Empty takes Cloud Storage's default.");

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
      {"mb", "gs://BUCKET...", "Make buckets.",
       "Creating a bucket takes a project: --project or GOOGLE_CLOUD_PROJECT.\n", 1, kAny, MakeBuckets},
      {"ls", "[gs://BUCKET[/PREFIX]...]", "List objects under a prefix; without one, the project's buckets.",
       "One directory level; --recursive lists all of them by many calls at the same time, and prints meanwhile.\n"
       "--long adds size, time and generation, --json prints a JSON object per line, --count sums up all levels.\n",
       0, kAny, List},
      {"cp", "SOURCE... DESTINATION", "Copy objects and files: gs:// or local on either side, - is a pipe.",
       "A destination that ends in / (or is a bucket, or of one file a local directory) takes the source's last name.\n"
       "With --recursive the source is a directory, and DESTINATION is what it becomes, or with / at its end where it\n"
       "goes into; what is there already and the same is skipped. An object becomes visible, and a local file is\n"
       "there, only when it is complete and its checksum is right. The same command again goes on with one that was\n"
       "interrupted: docs/command_line.md.\n",
       2, kAny, Copy, true},
      {"sync", "SOURCE DESTINATION", "Copy what a directory has and another one has not, or has otherwise.",
       "Both are directories: gs://BUCKET[/PREFIX], or local for one of them. What is there with the same size and\n"
       "CRC32C is skipped; --compare=mtime goes by times instead. --delete removes what the source has not; --dry_run\n"
       "only says what would be done.\n",
       2, 2, Sync, true},
      {"cat", "gs://BUCKET/OBJECT...", "Write objects to standard output, one behind the other.",
       "Several are fetched ahead, --max_concurrency at a time, and a large one by as many requests. Exit status 1\n"
       "means that what was written is not to be used.\n",
       1, kAny, Concatenate},
      {"stat", "gs://BUCKET/OBJECT...", "Show what Cloud Storage knows about objects.", "", 1, kAny, Stat},
      {"rm", "gs://BUCKET[/OBJECT]...", "Remove objects, or a bucket that is empty.",
       "With --recursive everything in the directory of that name (for a bucket: all its objects, not the bucket).\n",
       1, kAny, Remove},
      {"clean", "gs://BUCKET...", "Remove temporary objects and uploads that dead processes left.",
       "Composed objects under dataflux-composed-objects/ that are older than --older_than (30s, 10m, 1h, 2d),\n"
       "those of Google's connector for PyTorch too.\n",
       1, kAny, Clean, true},
      {"checkpoint", "inspect|verify|convert|diff|ls|rm|prune CHECKPOINT [CHECKPOINT] | RUN [STEP]",
       "Look at checkpoints of PyTorch and safetensors, gs:// or local, and at the steps of training runs.",
       "inspect CHECKPOINT: names, types, shapes and bytes of its tensors; reads the index alone.\n"
       "verify CHECKPOINT: reads everything, compares it with its checksums, and says what they cover.\n"
       "convert FROM TO: a file of torch.save becomes safetensors, or the other way round.\n"
       "diff FIRST SECOND: which tensors differ, and by how much. Exit status 1 where one does.\n"
       "Files of torch.save, archives of libtorch, safetensors and their index are told apart by their bytes; nothing\n"
       "in them is executed.\n"
       "Of a training run, by its prefix, gs://my-bucket/runs/7/:\n"
       "ls RUN: its steps, their bytes, when they were saved, their metrics; what is damaged or unfinished, and why.\n"
       "verify RUN/: reads all files and compares them with the manifests. Exit status 1 where a step is not whole.\n"
       "rm RUN STEP: removes a step, but never the last whole one. Not while that step is being saved.\n"
       "prune RUN: removes the whole steps but for those that --keep_last, --keep_best, --keep_every, --keep_hourly "
       "and\n"
       "--keep_daily keep; then files of unfinished saves that are --older_than. --dry_run prints what it would "
       "remove.\n"
       "--json prints a JSON object per line.\n",
       2, 3, RunCheckpoint},
  };
  return kCommands;
}

}  // namespace gcsflux::cli
