// Trains a small network to tell the class of an image, which is its directory: single objects, shards or local files,
// by one process or several.
//
//   train_images                                              against an emulator inside this process, on drawn images
//   train_images --bucket=gs://name/prefix --data_dir=FOLDER  stores FOLDER/<class>/<name>.png first
//   train_images --bucket=gs://name/prefix --shards=gs://name/prefix/shards/
//   scripts/run_ranks 4 -- train_images --bucket=gs://name/prefix --batch_size=16
//
// The images of train_fashion_mnist are stored in the same way: --bucket may be its own, with --side=32.
//
// docs/experiments.md compares them.
#include <ATen/ATen.h>
#include <torch/nn.h>
#include <torch/utils.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "gcsflux/torch/images.h"
#include "images/job.h"
#include "images/job_flags.h"
#include "images/stored_images.h"
#include "images/training.h"
#include "standard_streams.h"

namespace {

using examples::ImageFile;
using examples::Sample;

/// Three convolutions, each of half the size, and one score for each class.
struct Network : torch::nn::Module {
  explicit Network(std::int64_t classes) {
    AddBlock(3, 16);
    AddBlock(16, 32);
    AddBlock(32, 64);
    layers->push_back(torch::nn::AdaptiveAvgPool2d(1));
    layers->push_back(torch::nn::Flatten());
    layers->push_back(torch::nn::Linear(64, classes));
  }

  torch::Tensor forward(const torch::Tensor& pixels) { return layers->forward(pixels.to(torch::kFloat32).div_(255)); }

  torch::nn::Sequential layers = register_module("layers", torch::nn::Sequential());

 private:
  // GroupNorm has no state of its own, in which ranks could differ.
  void AddBlock(int inputs, int outputs) {
    layers->push_back(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(inputs, outputs, /*kernel_size=*/3).stride(2).padding(1)));
    layers->push_back(torch::nn::GroupNorm(4, outputs));
    layers->push_back(torch::nn::ReLU());
  }
};

std::int64_t LabelOf(const ImageFile& file, const std::vector<std::string>& classes) {
  const auto found = std::find(classes.begin(), classes.end(), file.path.substr(0, file.path.find('/')));
  if (found == classes.end()) throw std::runtime_error("its directory is no class of test/");
  return found - classes.begin();
}

at::Tensor Decode(const ImageFile& file) {
  return gcsflux::DecodeImage(file.name, file.bytes, {.at_least = gcsflux::ImageSize{FLAGS_side, FLAGS_side}});
}

// A random part of the image, which may be flipped.
at::Tensor Augment(at::Tensor image, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  image = gcsflux::CropImage(image, gcsflux::RandomBox(gcsflux::SizeOf(image), random, /*min_area=*/0.5));
  image = gcsflux::ResizeImage(image, {FLAGS_side, FLAGS_side});
  return random() % 2 == 0 ? gcsflux::FlipImage(image) : image;
}

void Run(const examples::Job& job) {
  examples::StoreImages(job, [](const std::string&, std::span<const std::byte>) { return true; });
  const auto classes = examples::ImageClasses(job);
  torch::manual_seed(1);  // All ranks begin with the same parameters.
  Network network(static_cast<std::int64_t>(classes.size()));
  const auto scores = [&](const Sample& batch) { return network.forward(batch.data); };
  const examples::Objective objective{
      .network = network,
      .loss =
          [&](const Sample& batch) {
            const auto sum = torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum);
            return torch::nn::functional::cross_entropy(scores(batch), batch.target, sum);
          },
      .score =
          [&](const Sample& batch) {
            const auto right = scores(batch).argmax(1).eq(batch.target).sum().item<double>();
            return std::pair(right, static_cast<double>(batch.target.size(0)));
          },
      .score_name = "accuracy",
      .decode_training =
          [&](const ImageFile& file, const gcsflux::SampleContext& context) {
            return Sample(Augment(Decode(file), context.seed), torch::tensor(LabelOf(file, classes)));
          },
      .decode_test =
          [&](const ImageFile& file, const gcsflux::SampleContext& /*context*/) {
            return Sample(gcsflux::ResizeImage(Decode(file), {FLAGS_side, FLAGS_side}),
                          torch::tensor(LabelOf(file, classes)));
          }};
  examples::Train(job, objective, /*learning_rate=*/0.002);
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  return examples::FlushOutput("train_images", examples::RunJob("train_images", __FILE__, argc, argv, Run));
}
