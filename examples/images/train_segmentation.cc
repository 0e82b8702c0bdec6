// Trains a small U-Net to tell which pixels of a picture belong to an object. The pictures are made while they are
// loaded: an image with an alpha channel, on a random background; the alpha is the mask.
//
//   train_segmentation                                              on drawn images, in an emulator inside this process
//   train_segmentation --bucket=gs://name/prefix --data_dir=FOLDER  on the PNG files of FOLDER that have an alpha
//   channel
//
// Flags and figures are those of train_images.
#include <ATen/ATen.h>
#include <torch/nn.h>
#include <torch/utils.h>

#include <algorithm>
#include <random>

#include "gcsflux/torch/images.h"
#include "images/job.h"
#include "images/job_flags.h"
#include "images/stored_images.h"
#include "images/training.h"
#include "standard_streams.h"

namespace {

using examples::ImageFile;
using examples::Sample;

constexpr int kOpaque = 255;

// ------------------------------------------------------------------------------------------------------------ pictures

bool HasAlpha(const std::string& path, std::span<const std::byte> bytes) {
  if (!path.ends_with(".png")) return false;
  return gcsflux::DecodeImage(path, bytes, {.channels = gcsflux::ImageChannels::kRgba})[3].min().item<int>() < kOpaque;
}

std::int64_t Between(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

// Patches of random colours that pass into each other, of any contrast.
at::Tensor Background(std::mt19937_64& random) {
  const std::int64_t patches = Between(random, 1, 6);
  at::Tensor colours = at::empty({3, patches, patches}, at::kByte);
  auto* values = colours.data_ptr<std::uint8_t>();
  std::generate_n(values, colours.numel(), [&] { return static_cast<std::uint8_t>(random()); });
  return gcsflux::ResizeImage(colours, {FLAGS_side, FLAGS_side}, /*antialias=*/false).clone();
}

// The size of an image whose longer side becomes `longer`.
gcsflux::ImageSize Fitted(gcsflux::ImageSize size, std::int64_t longer) {
  const std::int64_t most = std::max(size.height, size.width);
  return {std::max<std::int64_t>(1, size.height * longer / most),
          std::max<std::int64_t>(1, size.width * longer / most)};
}

// Colours of pixels that are transparent count as little as they can be seen.
at::Tensor ResizedByAlpha(const at::Tensor& image, gcsflux::ImageSize size) {
  const at::Tensor alpha = image.narrow(0, 3, 1).to(at::kFloat).div_(kOpaque);
  const at::Tensor seen = (image.narrow(0, 0, 3).to(at::kFloat) * alpha).round().to(at::kByte);
  return gcsflux::ResizeImage(at::cat({seen, image.narrow(0, 3, 1)}), size);
}

/// A picture, and 1 where the object is.
Sample Compose(const ImageFile& file, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  at::Tensor image = gcsflux::DecodeImage(file.name, file.bytes, {.channels = gcsflux::ImageChannels::kRgba});
  const gcsflux::ImageSize size = Fitted(gcsflux::SizeOf(image), Between(random, FLAGS_side / 2, FLAGS_side * 15 / 16));
  image = ResizedByAlpha(image, size);
  if (random() % 2 == 0) image = gcsflux::FlipImage(image);

  at::Tensor picture = Background(random);
  at::Tensor mask = at::zeros({FLAGS_side, FLAGS_side}, at::kByte);
  const std::int64_t top = Between(random, 0, FLAGS_side - size.height);
  const std::int64_t left = Between(random, 0, FLAGS_side - size.width);
  const auto place = [&](const at::Tensor& whole) {
    return whole.narrow(-2, top, size.height).narrow(-1, left, size.width);
  };
  const at::Tensor ground = place(picture).to(at::kFloat);
  const at::Tensor alpha = image[3].to(at::kFloat).div(kOpaque);
  place(picture).copy_((image.narrow(0, 0, 3).to(at::kFloat) + ground * (1 - alpha)).round().clamp(0, 255));
  place(mask).copy_(image[3] >= 128);
  return {picture, mask};
}

// ------------------------------------------------------------------------------------------------------------- network

torch::nn::Sequential TwoConvolutions(int inputs, int outputs) {
  const auto convolution = [](int from, int to) {
    return torch::nn::Conv2d(torch::nn::Conv2dOptions(from, to, /*kernel_size=*/3).padding(1));
  };
  return torch::nn::Sequential(convolution(inputs, outputs), torch::nn::GroupNorm(4, outputs), torch::nn::ReLU(),
                               convolution(outputs, outputs), torch::nn::GroupNorm(4, outputs), torch::nn::ReLU());
}

/// Down to 1/8 of the size and up again, with the details of each size on the way down.
struct UNet : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& pixels) {
    const torch::Tensor whole = down1->forward(pixels.to(torch::kFloat32).div_(255).sub_(0.5));
    const torch::Tensor half = down2->forward(torch::max_pool2d(whole, 2));
    const torch::Tensor quarter = down3->forward(torch::max_pool2d(half, 2));
    torch::Tensor x = bottom->forward(torch::max_pool2d(quarter, 2));
    x = up3->forward(torch::cat({Doubled(x), quarter}, 1));
    x = up2->forward(torch::cat({Doubled(x), half}, 1));
    x = up1->forward(torch::cat({Doubled(x), whole}, 1));
    return out->forward(x).squeeze(1);
  }

  torch::nn::Sequential down1 = register_module("down1", TwoConvolutions(3, 8));
  torch::nn::Sequential down2 = register_module("down2", TwoConvolutions(8, 16));
  torch::nn::Sequential down3 = register_module("down3", TwoConvolutions(16, 32));
  torch::nn::Sequential bottom = register_module("bottom", TwoConvolutions(32, 64));
  torch::nn::Sequential up3 = register_module("up3", TwoConvolutions(64 + 32, 32));
  torch::nn::Sequential up2 = register_module("up2", TwoConvolutions(32 + 16, 16));
  torch::nn::Sequential up1 = register_module("up1", TwoConvolutions(16 + 8, 8));
  torch::nn::Conv2d out = register_module("out", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 1, /*kernel_size=*/1)));

 private:
  static torch::Tensor Doubled(const torch::Tensor& x) {
    return torch::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
  }
};

void Run(const examples::Job& job) {
  examples::StoreImages(job, HasAlpha);
  torch::manual_seed(1);  // All ranks begin with the same parameters.
  UNet network;
  const auto decode = [](const ImageFile& file, const gcsflux::SampleContext& context) {
    return Compose(file, context.seed);
  };
  const examples::Objective objective{
      .network = network,
      .loss =
          [&](const Sample& batch) {
            const torch::Tensor scores = network.forward(batch.data);
            // The mean over the pixels of a picture, the sum over the pictures.
            const torch::Tensor mask = batch.target.to(torch::kFloat32);
            return torch::binary_cross_entropy_with_logits(scores, mask) * batch.data.size(0);
          },
      .score =
          [&](const Sample& batch) {
            const torch::Tensor found = network.forward(batch.data) > 0;
            const torch::Tensor mask = batch.target > 0;
            return std::pair((found & mask).sum().item<double>(), (found | mask).sum().item<double>());
          },
      .score_name = "intersection_over_union",
      .decode_training = decode,
      .decode_test = decode};
  examples::Train(job, objective, /*learning_rate=*/0.003);
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  return examples::FlushOutput("train_segmentation", examples::RunJob("train_segmentation", __FILE__, argc, argv, Run));
}
