// EpochOptionsFromFlags. Programs that do not call it do not have its flags.
#include <gflags/gflags.h>

#include <charconv>
#include <cstdlib>
#include <string>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

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
             "Number of this process among those that share the samples, from 0; with -1, the environment's "
             "RANK, or 0. Set it if no launcher sets RANK.");
DEFINE_int64(world_size, -1,
             "Number of processes that share the samples; with -1, the environment's WORLD_SIZE, or 1. Set it "
             "if no launcher sets WORLD_SIZE.");

namespace gcsflux {
namespace {

using internal::WrongFlag;

constexpr internal::NamedValue<SampleOrder> kOrders[] = {
    {"by_name", SampleOrder::kByName}, {"shuffled", SampleOrder::kShuffled}, {"buffered", SampleOrder::kBuffered}};
constexpr internal::NamedValue<EpochTail> kTails[] = {
    {"uneven", EpochTail::kUneven}, {"drop", EpochTail::kDrop}, {"pad", EpochTail::kPad}};

// The flag's value; otherwise the environment's, as launchers (torchrun) set it.
Result<std::uint64_t> FlagOrEnvironment(const std::string& flag, std::int64_t value, const char* variable,
                                        std::uint64_t otherwise) {
  if (value >= 0) return static_cast<std::uint64_t>(value);
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  const std::string digits = text;
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failure == std::errc{} && end == digits.data() + digits.size()) return number;
  return WrongFlag("the variable " + std::string(variable) + " is '" + digits + "', which is not a number; set --" +
                   flag);
}

}  // namespace

Result<EpochOptions> EpochOptionsFromFlags() {
  const auto order = internal::ValueNamed("epoch_order", FLAGS_epoch_order, kOrders);
  if (!order) return order.error();
  const auto tail = internal::ValueNamed("epoch_tail", FLAGS_epoch_tail, kTails);
  if (!tail) return tail.error();
  const auto rank = FlagOrEnvironment("rank", FLAGS_rank, "RANK", 0);
  if (!rank) return rank.error();
  const auto world_size = FlagOrEnvironment("world_size", FLAGS_world_size, "WORLD_SIZE", 1);
  if (!world_size) return world_size.error();
  if (FLAGS_batch_size < 1) return WrongFlag("flag --batch_size must be at least 1");
  if (FLAGS_shuffle_buffer < 1) return WrongFlag("flag --shuffle_buffer must be at least 1");
  if (*world_size < 1 || *rank >= *world_size) {
    return WrongFlag("rank " + std::to_string(*rank) + " of " + std::to_string(*world_size) +
                     " processes: ranks are counted from 0 (--rank and --world_size, or RANK and WORLD_SIZE)");
  }
  return EpochOptions{.order = *order,
                      .tail = *tail,
                      .shuffle_buffer = FLAGS_shuffle_buffer,
                      .seed = FLAGS_seed,
                      .batch_size = FLAGS_batch_size,
                      .rank = *rank,
                      .world_size = *world_size};
}

}  // namespace gcsflux
