// epochs_program ENDPOINT indexed|scanned|mix RANK WORLD_SIZE [CURSOR]: reads epochs until it is killed. Prints
// a line for each batch: its samples as NUMBER@EPOCH, a tab, and the cursor behind it.
#include <torch/types.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>

#include "gcsflux/torch/data_loader.h"
#include "gcsflux/torch/shard_dataset.h"

namespace gcsflux {
namespace {

using torch::data::Example;

const DatasetOptions kOptions = {.download = {.max_concurrency = 4}, .listing = {.max_concurrency = 2}};

Example<> NumberIn(std::span<const std::byte> bytes, const SampleContext& context) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return {torch::tensor(std::stol(text)), torch::tensor(static_cast<std::int64_t>(context.epoch))};
}
Example<> OfObject(const ListedObject&, std::span<const std::byte> bytes, const SampleContext& context) {
  return NumberIn(bytes, context);
}
Example<> OfShard(const ShardSample& sample, const SampleContext& context) {
  return NumberIn(ValueOrThrow(sample.Member("txt")), context);
}

void Print(const Example<>& batch, const Cursor& cursor) {
  std::string line;
  for (std::int64_t i = 0; i < batch.data.numel(); ++i) {
    line += std::to_string(batch.data[i].item<std::int64_t>()) + "@" +
            std::to_string(batch.target[i].item<std::int64_t>()) + " ";
  }
  std::string text = FormatCursor(cursor);
  std::erase(text, '\n');
  std::cout << line << '\t' << text << std::endl;
}

MapDataset OpenMapped(const Client& client, const std::string& kind) {
  const MapDataset shards = MapDataset::OfShards(client, {"kills", "indexed/"}, OfShard, kOptions);
  if (kind == "indexed") return shards;
  return MapDataset::Joined({{client, {"kills", "objects/"}, OfObject, kOptions}, shards});
}

void ReadMapped(const MapDataset& dataset, const EpochOptions& epochs, const std::optional<Cursor>& cursor) {
  auto loader = MakeDataLoader(dataset, epochs, {.workers = 2, .cursor = cursor});
  while (true) {
    for (const auto& batch : loader) Print(batch, loader.cursor());
  }
}

void ReadScanned(const Client& client, const EpochOptions& epochs, std::optional<Cursor> cursor) {
  const ShardDataset dataset(client, {"kills", "scanned/"}, OfShard, epochs, kOptions);
  for (; true; cursor.reset()) {
    for (const auto& batch : dataset.Epoch(cursor)) {
      Print(torch::data::transforms::Stack<>().apply_batch(batch.samples), batch.cursor);
    }
  }
}

void Read(const std::vector<std::string>& arguments) {
  const Client client = ValueOrThrow(Client::Create(
      {.endpoint = arguments[0],
       .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1), .max_attempts = 50, .budget = 1})}));
  const std::string& kind = arguments[1];
  EpochOptions epochs{.shuffle_buffer = 9,
                      .seed = 5,
                      .batch_size = 5,
                      .rank = std::stoul(arguments[2]),
                      .world_size = std::stoul(arguments[3])};
  const auto cursor = arguments.size() > 4 ? std::optional(ValueOrThrow(ParseCursor(arguments[4]))) : std::nullopt;
  if (kind == "scanned") return ReadScanned(client, epochs, cursor);
  const MapDataset dataset = OpenMapped(client, kind);
  if (kind == "mix") {
    epochs.given = ValueOrThrow(MixedOrder({.sizes = dataset.parts(), .weights = {1, 3}, .seed = 2}));
  }
  ReadMapped(dataset, epochs, cursor);
}

}  // namespace
}  // namespace gcsflux

int main(int argc, char** argv) {
  try {
    gcsflux::Read({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
  }
  return 1;
}
