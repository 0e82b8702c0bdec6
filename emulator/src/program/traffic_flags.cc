#include "program/traffic_flags.h"

#include <gflags/gflags.h>

#include <stdexcept>
#include <string>
#include <vector>

// Mostly texts: "" means the profile's value, and the library that reads them knows what is valid.
DEFINE_string(
    profile, "none",
    "none: as fast as the machine. gcs: latencies, bandwidths and quotas like those of Google's service "
    "(docs/emulator/traffic.md). The flags below change them one by one. Set it to tune a loader or a retry policy.");
DEFINE_string(
    read_first_byte_ms, "",
    "Milliseconds from a complete request to the first byte of its answer, for reads: a number, lognormal(MEDIAN,P99), "
    "empirical(VALUE,...), or empirical(QUANTILE:VALUE,...). Raise it to see whether a loader reads ahead far enough.");
DEFINE_string(write_first_byte_ms, "",
              "The same for uploads (each request of one), and for changes of metadata. Raise it to see what small "
              "objects or small chunks cost.");
DEFINE_string(list_first_byte_ms, "", "The same for lists. Raise it to see what sequential pages cost.");
DEFINE_string(compose_first_byte_ms, "", "The same for compose. Raise it to tune parallel composite uploads.");
DEFINE_string(delete_first_byte_ms, "", "The same for deletions. Raise it to see what cleaning up costs.");
DEFINE_string(list_item_us, "",
              "Microseconds that each item and prefix on a page of a list adds. Raise it to compare page sizes.");
DEFINE_string(stream_read_mbps, "",
              "MB/s (1,000,000 bytes) of one download. Lower it to see how many streams fill a link.");
DEFINE_string(stream_write_mbps, "", "MB/s of one upload's request. Lower it to see how many streams fill a link.");
DEFINE_string(bucket_read_mbps, "",
              "MB/s of all downloads from a bucket together. Set it to see a loader behind a narrow link.");
DEFINE_string(bucket_write_mbps, "",
              "MB/s of all uploads to a bucket together. Set it to see uploads behind a narrow link.");
DEFINE_string(traffic_seed, "",
              "Chooses random latencies: the same seed and the same requests give the same ones. Change it for another "
              "run of the same kind.");
DEFINE_string(
    reads_per_second, "",
    "Reads of a bucket's objects, metadata and lists per second; beyond them 429. Lower it to see throttling.");
DEFINE_string(writes_per_second, "",
              "Uploads, changes and deletions of a bucket's objects per second. Lower it to see throttling.");
DEFINE_string(range_reads_per_second, "",
              "Reads per second of each range of a bucket's names. Ranges under load split, and the bucket's quota "
              "grows. Set it, with --ramp_speed, to see a ramp.");
DEFINE_string(range_writes_per_second, "",
              "Writes per second of each range of a bucket's names. Set it, with --ramp_speed, to see a ramp.");
DEFINE_string(ramp_speed, "",
              "How many times faster than in 20 minutes a range splits under load, and nothing else. Raise it to see "
              "in seconds what takes hours: 60 makes it 20 s.");
DEFINE_string(object_mutations_per_second, "",
              "Creations, changes and deletions of one object per second. Set it to 1 to find a program that "
              "overwrites too often.");
DEFINE_string(bucket_updates_per_second, "",
              "Changes of one bucket's metadata per second. Set it to 1 to find a program that changes it too often.");
DEFINE_string(egress_mbps, "",
              "MB/s of objects' bytes sent, of all buckets together; 429 while it is overdrawn. Lower it to see a "
              "limit on egress.");
DEFINE_string(quota_depth_ms, "",
              "How many milliseconds of its rate a quota saves up for a burst. Raise it if clients send in bursts; "
              "lower it to allow no bursts.");
DEFINE_bool(refused_count, false,
            "Refused requests count too. Set it to see how clients harm themselves that repeat without pause.");
DEFINE_string(retry_after_s, "",
              "Seconds of a Retry-After header on every 429 of a quota; GCS does not promise it. Set it to see whether "
              "a client obeys it.");
DEFINE_string(latency_growth_ms, "",
              "How many milliseconds longer a request takes at its quota. The delay grows from 0. Raise it to let a "
              "client notice before it is refused.");
DEFINE_string(latency_growth_from, "",
              "The share of the quota, 0 to 0.999, from which the delay grows. Lower it to give more warning.");

namespace gcsflux::emulator {
namespace {

std::string FieldOf(const std::string& flag) {
  if (flag == "traffic_seed") return "seed";
  return flag == "quota_depth_ms" ? "depth_ms" : flag;
}

}  // namespace

TrafficSettings TrafficFromFlags() {
  std::string flag = "profile";
  try {
    TrafficSettings settings{.shaping = ShapingProfile(FLAGS_profile), .quotas = QuotasProfile(FLAGS_profile)};
    const std::string file = gflags::GetCommandLineFlagInfoOrDie("profile").filename;
    std::vector<gflags::CommandLineFlagInfo> flags;
    gflags::GetAllFlags(&flags);
    for (const auto& info : flags) {
      if (info.filename != file || info.is_default || info.name == "profile") continue;
      flag = info.name;
      const std::string field = FieldOf(flag);
      if (!SetField(settings.shaping, field, info.current_value)) SetField(settings.quotas, field, info.current_value);
    }
    return settings;
  } catch (const std::invalid_argument& error) {
    const std::string value = gflags::GetCommandLineFlagInfoOrDie(flag.c_str()).current_value;
    throw std::invalid_argument("--" + flag + "=" + value + ": " + error.what());
  }
}

}  // namespace gcsflux::emulator
