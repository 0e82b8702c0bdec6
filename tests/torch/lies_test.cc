// A service that lies, against libtorch's reads and writes: the paths that tests/lies cannot link.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <optional>
#include <string>

#include "gcsflux/torch/map_dataset.h"
#include "gcsflux/torch/state_dict.h"
#include "gcsflux/torch/storage_error.h"
#include "support/lying_service.h"
#include "support/upload_case.h"
#include "torch/state_dict_writer.h"

namespace gcsflux {
namespace {

using How = testing::Lie::How;
using Where = testing::Lie::Where;
using testing::kObject;
using testing::Lie;
using testing::LyingService;

const NamedTensors kTensors = {{"x", torch::arange(3)}};

std::string File() {
  StateDictWriter writer;
  pickled::Value root = writer.OfTensors(kTensors);
  std::string file;
  WriteTorchFile(std::move(writer).Gather(std::move(root)), [&](std::span<const std::byte> piece) -> Result<void> {
    file.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return {};
  });
  return file;
}

// The code of the error that `call` throws; nothing if it succeeds.
std::optional<ErrorCode> CodeOf(const std::function<void()>& call) {
  try {
    call();
    return std::nullopt;
  } catch (const StorageError& error) {
    return error.error().code;
  }
}

struct Case {
  Lie lie;
  std::optional<ErrorCode> load;
  std::optional<ErrorCode> batch;
  std::optional<ErrorCode> save;
};

const Case kCases[] = {
    {{}, {}, {}, {}},
    {{Where::kMedia, "hash", How::kMissing}, {}, {}, {}},
    {{Where::kMedia, "hash", How::kContradicted}, ErrorCode::kBadResponse, ErrorCode::kBadResponse, {}},
    {{Where::kMedia, "hash", How::kOther}, ErrorCode::kCorrupted, ErrorCode::kCorrupted, {}},
    {{Where::kMedia, "generation", How::kMissing}, ErrorCode::kBadResponse, ErrorCode::kBadResponse, {}},
    {{Where::kMedia, "generation", How::kOther}, ErrorCode::kBadResponse, ErrorCode::kBadResponse, {}},
    {{Where::kMedia, "size", How::kSmaller}, ErrorCode::kBadResponse, ErrorCode::kBadResponse, {}},
    {{Where::kResumed, "generation", How::kOther}, ErrorCode::kBadResponse, ErrorCode::kBadResponse, {}},
    // Each tensor is verified by its own checksum.
    {{Where::kResource, "hash", How::kOther}, {}, {}, ErrorCode::kCorrupted},
    {{Where::kResource, "name", How::kOther}, ErrorCode::kBadResponse, {}, ErrorCode::kBadResponse},
    {{Where::kResource, "bucket", How::kOther}, ErrorCode::kBadResponse, {}, ErrorCode::kBadResponse},
};

TEST(LiesToLibtorch, AreRefused) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.lie.what) + " " + std::to_string(static_cast<int>(c.lie.how)));
    const auto client_of = [](const LyingService& service) {
      return *Client::Create({.endpoint = service.endpoint(), .hedge_budget = 0});
    };
    const LyingService for_load(File(), c.lie);
    EXPECT_EQ(CodeOf([&] { LoadStateDict(client_of(for_load), ToUri(kObject)); }), c.load);
    const LyingService for_batch(std::string(30, 'x'), c.lie);
    EXPECT_EQ(CodeOf([&] {
                MapDataset dataset(client_of(for_batch), {"bkt", ""}, [](const ListedObject&, auto bytes) {
                  EXPECT_EQ(bytes.size(), 30U);
                  return torch::data::Example<>(torch::zeros(1), torch::zeros(1));
                });
                dataset.get_batch({0});
              }),
              c.batch);
    const LyingService for_save("", c.lie);
    EXPECT_EQ(CodeOf([&] { SaveStateDict(client_of(for_save), ToUri(kObject), kTensors); }), c.save);
  }
}

}  // namespace
}  // namespace gcsflux
