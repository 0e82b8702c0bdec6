#include "gcsflux/shards.h"

#include <gflags/gflags.h>

#include <atomic>

#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/status_line.h"

DECLARE_bool(dry_run);
DECLARE_bool(json);
DECLARE_bool(force);
DEFINE_uint64(max_bytes, std::uint64_t{1} << 30, "Most bytes of a shard; a larger sample has one of its own.");
DEFINE_uint64(max_samples, 100'000, "Most samples of a shard.");
DEFINE_int64(shuffle_seed, -1, "Pack the samples in an order that this seed determines. -1: by name.");

namespace gcsflux::cli {
namespace {

ShardOptions Options() { return {.is_dry_run = FLAGS_dry_run, .stop = StopOnSignal()}; }

// Of the shards of `uri`.
void PrintReport(const ShardReport& report, const Change& change, const std::string& uri) {
  if (FLAGS_json) {
    JsonObject line = JsonOf(change, uri);
    line.Add("shards", report.shards).Add("kept", report.kept).Add("samples", report.samples);
    return PrintLine(line.Add("members", report.members).Add("bytes", report.bytes).text());
  }
  const std::string done(FLAGS_dry_run ? "would " + std::string(change.action) : std::string(change.done));
  const std::string kept = report.kept > 0 ? ", " + Count(report.kept, "shard") + " kept" : "";
  SayDone(done + " " + Count(report.shards, "shard") + kept + ": " + Count(report.samples, "sample") + ", " +
          Count(report.members, "member") + ", " + BytesText(static_cast<double>(report.bytes)));
}

// Runs `call` with a line that shows how many bytes have passed.
template <class Call>
Result<void> WithStatus(const Change& change, const std::string& uri, ShardOptions options, const Call& call) {
  std::atomic<std::uint64_t> passed = 0;
  std::atomic<std::uint64_t> total = 0;
  options.on_progress = [&](const Progress& progress) {
    passed = progress.bytes;
    total = progress.total;
  };
  StatusLine status([&](double seconds, std::size_t columns) {
    return ProgressLine({.objects = 1, .bytes = total, .moved_bytes = passed}, seconds, columns);
  });
  const auto report = call(options);
  status.End();
  if (!report) return report.error();
  return PrintReport(*report, change, uri), Result<void>();
}

Result<void> Index(const Client& client, const std::vector<std::string>& uris) {
  const auto names = ParseAll(uris);
  if (!names) return names.error();
  for (const ObjectName& shards : *names) {
    ShardOptions options = Options();
    options.replaces_indexes = FLAGS_force;
    const auto index = [&](const ShardOptions& how) { return IndexShards(client, shards, how); };
    if (auto indexed = WithStatus({"index", "indexed"}, ToUri(shards), options, index); !indexed) return indexed;
  }
  return {};
}

Result<void> Pack(const Client& client, const std::vector<std::string>& uris) {
  const auto from = ParseUri(uris[0]);
  if (!from) return from.error();
  const auto to = ParseObject(uris[1]);
  if (!to) return to.error();
  if (FLAGS_shuffle_seed < -1) return Error{ErrorCode::kInvalidArgument, "flag --shuffle_seed must be at least -1"};
  ShardOptions options = Options();
  options.max_bytes = FLAGS_max_bytes;
  options.max_samples = FLAGS_max_samples;
  if (FLAGS_shuffle_seed >= 0) options.shuffle_seed = static_cast<std::uint64_t>(FLAGS_shuffle_seed);
  const auto pack = [&](const ShardOptions& how) { return PackShards(client, *from, *to, how); };
  return WithStatus({"pack", "packed"}, uris[1], options, pack);
}

Result<void> Unpack(const Client& client, const std::vector<std::string>& uris) {
  const auto names = ParseAll(uris);
  if (!names) return names.error();
  const ObjectName& to = names->back();
  return WithStatus({"unpack", "unpacked"}, uris[1], Options(), [&](const ShardOptions& how) {
    return UnpackShards(client, names->front(), {to.bucket, AsDirectory(to.name)}, how);
  });
}

void Print(const std::string& bucket, const ListedObject& member) {
  if (!FLAGS_json) {
    return PrintLine(SizeText(member.size) + "  " + Hex(member.crc32c.value_or(0)) + "  " +
                     ToUri({bucket, member.name}));
  }
  PrintLine(JsonObject()
                .Add("name", ToUri({bucket, member.name}))
                .Add("size", member.size)
                .Add("crc32c", Hex(member.crc32c.value_or(0)))
                .text());
}

Result<void> List(const Client& client, const std::vector<std::string>& uris) {
  const auto names = ParseAll(uris);
  if (!names) return names.error();
  for (const ObjectName& shards : *names) {
    const auto report = ListShards(
        client, shards, [&](const ListedObject& member) { Print(shards.bucket, member); }, Options());
    if (!report) return report.error();
    if (!FLAGS_json) PrintReport(*report, {"list", "listed"}, ToUri(shards));
  }
  return {};
}

constexpr CommandFlag kIndexFlags[] = {
    {"force", "f", "Make also the indexes that are there and fit."}, {"dry_run", "n"}, {"json"}};
constexpr CommandFlag kPackFlags[] = {{"max_bytes"}, {"max_samples"}, {"shuffle_seed"}, {"dry_run", "n"}, {"json"}};
constexpr CommandFlag kUnpackFlags[] = {{"dry_run", "n"}, {"json"}};
constexpr CommandFlag kListFlags[] = {{"json"}, {"human", "h"}};

constexpr std::string_view kWhichShards =
    "Shards are named by a prefix, for all names under it that end with .tar, by braces\n"
    "(gs://BUCKET/train/{000000..000127}.tar), or by a list in the format wids-shard-index-v1 (a name that ends\n"
    "with .json).\n";

}  // namespace

constinit const Command kIndexShards = {
    .name = "shards index",
    .arguments = "gs://BUCKET/SHARDS...",
    .summary = "Write indexes of tar shards, which make their samples random-access.",
    .details = kWhichShards,
    .flags = kIndexFlags,
    .run = Index,
    .is_resumable = true,
};

constinit const Command kPackShards = {
    .name = "shards pack",
    .arguments = "gs://BUCKET/PREFIX/ gs://BUCKET/NAME-%06d.tar",
    .summary = "Pack the objects under a prefix into tar shards with indexes.",
    .details =
        "Objects whose names agree up to the first dot of the base name are one sample (WebDataset's convention).\n"
        "The same objects and flags give the same shards; shards that are there are kept.\n",
    .flags = kPackFlags,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = Pack,
    .is_resumable = true,
};

constinit const Command kUnpackShards = {
    .name = "shards unpack",
    .arguments = "gs://BUCKET/SHARDS gs://BUCKET/PREFIX/",
    .summary = "Store each member of tar shards as an object.",
    .details = kWhichShards,
    .flags = kUnpackFlags,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = Unpack,
};

constinit const Command kListShards = {
    .name = "shards ls",
    .arguments = "gs://BUCKET/SHARDS...",
    .summary = "List the members of tar shards: size, CRC32C, name.",
    .details = kWhichShards,
    .flags = kListFlags,
    .run = List,
};

}  // namespace gcsflux::cli
