// Reads a dataset for some epochs, in batches: against an emulator inside this process, or, as
// `read_dataset gs://bucket/prefix`, in a bucket of yours.
//
//   read_dataset --style=iterable --batch_size=16 --epoch_order=buffered gs://bucket/prefix
//   read_dataset --style=map --workers=4 --print_names gs://bucket/prefix
//   read_dataset --style=shards gs://bucket/train/{000000..000127}.tar
#include <gflags/gflags.h>
#include <torch/data/dataloader.h>

#include <iostream>

#include "emulated_bucket.h"
#include "gcsflux/dataset.h"
#include "gcsflux/flags.h"
#include "gcsflux/torch/data_loader.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "gcsflux/torch/map_dataset.h"
#include "gcsflux/torch/shard_dataset.h"
#include "standard_streams.h"

DEFINE_string(
    style, "iterable",
    "iterable: a loop over the dataset itself; map: over libtorch's DataLoader; shards: a loop over tar shards");
DEFINE_uint32(workers, 4, "Threads of the DataLoader, with --style=map");
DEFINE_int32(epochs, 2, "Epochs to read");
DEFINE_bool(print_names, false, "Print each object's name and size as it is used");

namespace {

using gcsflux::ValueOrThrow;

// What a training loop would make a tensor of.
struct Sample {
  std::string name;
  std::size_t bytes = 0;
};

Sample Describe(const gcsflux::ListedObject& object, std::span<const std::byte> bytes) {
  return {object.name, bytes.size()};
}

void Use(const std::vector<Sample>& batch) {
  if (!FLAGS_print_names) return;
  for (const Sample& sample : batch) std::cout << sample.name << "  " << sample.bytes << "\n";
}

gcsflux::DatasetReport ReadIterable(const gcsflux::Client& client, const gcsflux::ObjectName& prefix) {
  const gcsflux::BasicIterableDataset<Sample> dataset(client, prefix, Describe,
                                                      ValueOrThrow(gcsflux::EpochOptionsFromFlags()),
                                                      ValueOrThrow(gcsflux::DatasetOptionsFromFlags()));
  for (int epoch = 0; epoch < FLAGS_epochs; ++epoch) {
    for (auto& batch : dataset.Epoch()) Use(batch.samples);
  }
  return dataset.report(ValueOrThrow(gcsflux::OperationPricesFromFlags()));
}

Sample DescribeMembers(const gcsflux::ShardSample& sample) {
  Sample described{.name = sample.shard() + "/" + sample.key()};
  for (const gcsflux::ShardMember& member : sample.members()) {
    described.name += " ." + member.extension;
    described.bytes += member.bytes.size();
  }
  return described;
}

gcsflux::DatasetReport ReadShards(const gcsflux::Client& client, const gcsflux::ObjectName& shards) {
  const gcsflux::BasicShardDataset<Sample> dataset(client, shards, DescribeMembers,
                                                   ValueOrThrow(gcsflux::EpochOptionsFromFlags()),
                                                   ValueOrThrow(gcsflux::DatasetOptionsFromFlags()));
  for (int epoch = 0; epoch < FLAGS_epochs; ++epoch) {
    for (auto& batch : dataset.Epoch()) Use(batch.samples);
  }
  return dataset.report(ValueOrThrow(gcsflux::OperationPricesFromFlags()));
}

gcsflux::DatasetReport ReadMap(const gcsflux::Client& client, const gcsflux::ObjectName& prefix) {
  const gcsflux::BasicMapDataset<Sample> dataset(client, prefix, Describe,
                                                 ValueOrThrow(gcsflux::DatasetOptionsFromFlags()));
  const auto epochs = ValueOrThrow(gcsflux::EpochOptionsFromFlags());
  const torch::data::transforms::BatchLambda<std::vector<Sample>> as_they_are([](auto samples) { return samples; });
  auto loader = gcsflux::MakeDataLoader(dataset, epochs, {.workers = FLAGS_workers}, as_they_are);
  for (int epoch = 0; epoch < FLAGS_epochs; ++epoch) {
    for (const auto& batch : loader) Use(batch);
  }
  return dataset.report(ValueOrThrow(gcsflux::OperationPricesFromFlags()));
}

void Read(const gcsflux::Client& client, const gcsflux::ObjectName& prefix) {
  if (FLAGS_style == "map") {
    std::cout << FormatReport(ReadMap(client, prefix));
  } else if (FLAGS_style == "iterable") {
    std::cout << FormatReport(ReadIterable(client, prefix));
  } else if (FLAGS_style == "shards") {
    std::cout << FormatReport(ReadShards(client, prefix));
  } else {
    throw std::invalid_argument("--style is iterable, map or shards");
  }
}

void Run(int argc, char** argv) {
  const auto arguments = ValueOrThrow(gcsflux::ParseFlags(argc, argv));
  if (gcsflux::HelpRequested()) {
    std::cout << "read_dataset [flags] [gs://BUCKET/PREFIX]\n" << gcsflux::FlagsHelp(__FILE__);
    return;
  }
  auto options = ValueOrThrow(gcsflux::ClientOptionsFromFlags());
  if (!arguments.empty()) {
    return Read(ValueOrThrow(gcsflux::Client::Create(options)), ValueOrThrow(gcsflux::ParseUri(arguments.front())));
  }
  const examples::EmulatedBucket bucket(100);
  options.endpoint = bucket.endpoint();
  Read(ValueOrThrow(gcsflux::Client::Create(options)), bucket.prefix());
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  int status = 0;
  try {
    Run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << std::string("read_dataset: ") + failure.what() + "\n";
    status = 1;
  }
  return examples::FlushOutput("read_dataset", status);
}
