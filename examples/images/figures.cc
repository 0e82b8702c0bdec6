#include "images/figures.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "gcsflux/flags.h"
#include "gcsflux/torch/storage_error.h"
#include "gcsflux/upload.h"
#include "images/job_flags.h"
#include "images/sample_source.h"

namespace examples {
namespace {

using gcsflux::ValueOrThrow;

double ImagesPerSecond(const std::vector<EpochFigures>& epochs) {
  double images = 0;
  double seconds = 0;
  for (const EpochFigures& epoch : epochs) {
    images += epoch.images;
    seconds += epoch.seconds;
  }
  return seconds > 0 ? images / seconds : 0;
}

nlohmann::ordered_json AsJson(const EpochFigures& epoch) {
  return {{"images", epoch.images}, {"loss", epoch.loss}, {"seconds", epoch.seconds}, {"wait_share", epoch.wait_share}};
}

nlohmann::ordered_json AsJson(const Job& job, const JobFigures& figures) {
  auto epochs = nlohmann::ordered_json::array();
  for (const EpochFigures& epoch : figures.epochs) epochs.push_back(AsJson(epoch));
  nlohmann::ordered_json line = {
      {"job", job.program},
      {"source", SourceName()},
      {"style", FLAGS_style},
      {"ranks", job.run.world_size},
      {"epochs", epochs},
      {"images_per_second", ImagesPerSecond(figures.epochs)},
      {figures.score_name, figures.score},
      {"class_a_operations", figures.requests.class_a_operations},
      {"class_b_operations", figures.requests.class_b_operations},
      {"price_usd", gcsflux::PriceOf(figures.requests, ValueOrThrow(gcsflux::OperationPricesFromFlags()))},
      {"resumed_from", nullptr},
  };
  if (figures.resumed_from) line["resumed_from"] = *figures.resumed_from;
  return line;
}

}  // namespace

void PrintEpoch(std::int64_t epoch, const EpochFigures& figures) {
  static bool has_head = false;
  if (!std::exchange(has_head, true)) {
    std::printf("%5s  %7s  %8s  %8s  %9s  %5s\n", "epoch", "images", "loss", "seconds", "images/s", "wait");
  }
  std::printf("%5d  %7.0f  %8.4f  %8.2f  %9.1f  %3.0f %%\n", static_cast<int>(epoch), figures.images, figures.loss,
              figures.seconds, figures.images / figures.seconds, 100 * figures.wait_share);
  std::fflush(stdout);
}

void WriteSummary(const Job& job, const JobFigures& figures) {
  if (FLAGS_summary.empty()) return;
  const std::string line = AsJson(job, figures).dump() + "\n";
  if (FLAGS_summary.starts_with("gs://")) {
    const auto object = ValueOrThrow(gcsflux::ParseUri(FLAGS_summary));
    ValueOrThrow(gcsflux::UploadObject(job.client, object, gcsflux::AsBytes(line),
                                       {.attributes = {.content_type = "application/json"}}));
    return;
  }
  std::ofstream file(FLAGS_summary, std::ios::app);
  if (!(file << line << std::flush)) throw std::runtime_error("cannot write " + FLAGS_summary);
}

}  // namespace examples
