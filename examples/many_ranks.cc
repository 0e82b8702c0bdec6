// Reads one dataset by several processes of this machine, as a launcher starts them (RANK and WORLD_SIZE), and shows
// that over all of them each sample is used once in every epoch: `many_ranks --processes=3 --epochs=2`.
#include <gflags/gflags.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>

#include "emulated_bucket.h"
#include "gcsflux/flags.h"
#include "gcsflux/torch/iterable_dataset.h"
#include "standard_streams.h"

DEFINE_int32(processes, 3, "Ranks to start");
DEFINE_int32(epochs, 2, "Epochs to read");
DEFINE_int32(objects, 100, "Objects of the dataset");
DEFINE_bool(is_rank, false, "Read as the rank that RANK and WORLD_SIZE say, and print what was used");

namespace {

using gcsflux::ValueOrThrow;
using UsedNames = std::map<std::string, int>;  // "EPOCH NAME", and how often.

// One rank: prints the epoch and the name of each sample that it uses.
void ReadAsRank(const gcsflux::ClientOptions& options, const std::string& uri) {
  const auto client = ValueOrThrow(gcsflux::Client::Create(options));
  const gcsflux::BasicIterableDataset<std::string> dataset(
      client, ValueOrThrow(gcsflux::ParseUri(uri)),
      [](const gcsflux::ListedObject& object, std::span<const std::byte>) { return object.name; },
      ValueOrThrow(gcsflux::EpochOptionsFromFlags()), ValueOrThrow(gcsflux::DatasetOptionsFromFlags()));
  for (int epoch = 0; epoch < FLAGS_epochs; ++epoch) {
    for (auto& batch : dataset.Epoch()) {
      for (const std::string& name : batch.samples) std::cout << epoch << " " << name << "\n";
    }
  }
}

std::string CommandOfRank(const std::string& program, const examples::EmulatedBucket& bucket, int rank) {
  return "RANK=" + std::to_string(rank) + " WORLD_SIZE=" + std::to_string(FLAGS_processes) + " '" + program +
         "' --is_rank --batch_size=8 --epochs=" + std::to_string(FLAGS_epochs) + " --endpoint=" + bucket.endpoint() +
         " " + ToUri(bucket.prefix());
}

void CountLines(std::FILE* output, UsedNames& used) {
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), output) != nullptr) ++used[line.data()];
}

bool ReadByAllRanks(const std::string& program) {
  const examples::EmulatedBucket bucket(FLAGS_objects);
  std::vector<std::FILE*> ranks;
  for (int rank = 0; rank < FLAGS_processes; ++rank) {
    ranks.push_back(popen(CommandOfRank(program, bucket, rank).c_str(), "r"));
  }
  UsedNames used;
  bool all_well = true;
  for (std::FILE* rank : ranks) {
    if (rank != nullptr) CountLines(rank, used);
    all_well = rank != nullptr && pclose(rank) == 0 && all_well;
  }
  const auto is_once = [](const auto& name) { return name.second == 1; };
  all_well = all_well && used.size() == static_cast<std::size_t>(FLAGS_objects * FLAGS_epochs) &&
             std::all_of(used.begin(), used.end(), is_once);
  std::cout << FLAGS_processes << " ranks used " << FLAGS_objects << " samples in each of " << FLAGS_epochs
            << " epochs: " << (all_well ? "each sample once per epoch" : "NOT each sample once per epoch") << "\n";
  return all_well;
}

int Run(int argc, char** argv) {
  const auto arguments = ValueOrThrow(gcsflux::ParseFlags(argc, argv));
  if (gcsflux::HelpRequested()) {
    std::cout << "many_ranks [flags]\n" << gcsflux::FlagsHelp(__FILE__);
    return 0;
  }
  if (!FLAGS_is_rank) return ReadByAllRanks(argv[0]) ? 0 : 1;
  ReadAsRank(ValueOrThrow(gcsflux::ClientOptionsFromFlags()), arguments.at(0));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  int status = 1;
  try {
    status = Run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << std::string("many_ranks: ") + failure.what() + "\n";
  }
  return examples::FlushOutput("many_ranks", status);
}
