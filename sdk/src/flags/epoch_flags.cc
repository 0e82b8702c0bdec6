// EpochOptionsFromFlags. Programs that do not call it do not have its flags.
#include <gflags/gflags.h>

#include <cstdint>
#include <string>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"
#include "gcsflux/run_environment.h"

DEFINE_uint64(batch_size, 64,
              "Samples in a batch of one rank. Set it to the number of samples that a training step uses.");
DEFINE_string(epoch_order, "shuffled",
              "The order of an epoch's samples: by_name, shuffled, or buffered, which draws each sample from "
              "the next --shuffle_buffer names. Set it to buffered if a listing takes long, because buffered "
              "does not wait for its end.");
DEFINE_string(epoch_tail, "uneven",
              "What happens with the last samples of an epoch if they do not fill a batch for every rank: "
              "uneven uses them in smaller batches, drop leaves them out, pad adds the epoch's first samples. "
              "Set it to drop or pad if every batch must have the same size.");
DEFINE_uint64(shuffle_buffer, gcsflux::EpochOptions().shuffle_buffer,
              "Names in the buffer of --epoch_order=buffered. Raise it if objects with similar names have "
              "similar content.");
DEFINE_uint64(seed, 0,
              "Determines the order of the samples, together with the epoch. Change it between runs that "
              "should differ; all ranks have the same seed.");
DEFINE_int64(rank, -1,
             "Number of this process among those that share the samples, from 0; with -1, as the launcher's "
             "variables say, or 0. Set it together with --world_size if no launcher that is known sets them.");
DEFINE_int64(world_size, -1,
             "Number of processes that share the samples; with -1, as the launcher's variables say, or 1. Set it "
             "together with --rank.");

namespace gcsflux {
namespace {

using internal::WrongFlag;

constexpr internal::NamedValue<SampleOrder> kOrders[] = {
    {"by_name", SampleOrder::kByName}, {"shuffled", SampleOrder::kShuffled}, {"buffered", SampleOrder::kBuffered}};
constexpr internal::NamedValue<EpochTail> kTails[] = {
    {"uneven", EpochTail::kUneven}, {"drop", EpochTail::kDrop}, {"pad", EpochTail::kPad}};

struct Ranks {
  std::uint64_t rank = 0;
  std::uint64_t world_size = 1;
};

Result<Ranks> RanksOfThisJob() {
  if (FLAGS_rank < -1 || FLAGS_world_size < -1) return WrongFlag("--rank and --world_size must be at least -1");
  if ((FLAGS_rank < 0) != (FLAGS_world_size < 0)) {
    return WrongFlag("--rank and --world_size are given together, or both are left to the launcher's variables");
  }
  Ranks ranks{static_cast<std::uint64_t>(FLAGS_rank), static_cast<std::uint64_t>(FLAGS_world_size)};
  if (FLAGS_rank < 0) {
    const auto run = RunEnvironment::Detect();
    if (!run) return WrongFlag(run.error().message + "; or set --rank and --world_size");
    ranks = {static_cast<std::uint64_t>(run->rank), static_cast<std::uint64_t>(run->world_size)};
  }
  if (ranks.rank < ranks.world_size) return ranks;
  return WrongFlag("--rank is " + std::to_string(ranks.rank) + ", and --world_size is " +
                   std::to_string(ranks.world_size) + ": ranks are counted from 0");
}

}  // namespace

Result<EpochOptions> EpochOptionsFromFlags() {
  EpochOptions options{.seed = FLAGS_seed};
  SampleOrder order = options.sample_order();
  if (auto read = internal::ReadNamed("epoch_order", order, kOrders); !read) return read.error();
  // A flag that is not given leaves the order to a program that sets EpochOptions::given.
  if (!gflags::GetCommandLineFlagInfoOrDie("epoch_order").is_default) options.order = order;
  if (auto read = internal::ReadNamed("epoch_tail", options.tail, kTails); !read) return read.error();
  const auto ranks = RanksOfThisJob();
  if (!ranks) return ranks.error();
  options.rank = ranks->rank;
  options.world_size = ranks->world_size;
  auto read = internal::ReadFlags({{"batch_size", &options.batch_size}, {"shuffle_buffer", &options.shuffle_buffer}});
  if (!read) return read.error();
  return options;
}

}  // namespace gcsflux
