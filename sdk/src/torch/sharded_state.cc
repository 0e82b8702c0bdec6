#include "torch/sharded_state.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "torch/failure.h"
#include "torch/module_tensors.h"
#include "torch/tensor_bytes.h"
#include "torch/writable.h"

namespace gcsflux {
namespace {

constexpr std::string_view kNumbers = "numbers.";
constexpr std::string_view kTexts = "texts.";
constexpr std::string_view kCursor = "cursor";

bool IsOfValues(std::string_view name) {
  return name.starts_with(kNumbers) || name.starts_with(kTexts) || name == kCursor;
}

StorageError BadTensor(const std::string& name, const std::string& why) {
  return Failure(ErrorCode::kInvalidArgument, "ShardedState: tensor '" + name + "' " + why);
}

TensorPart PartOf(const std::string& name, const ShardedTensor& tensor) {
  const auto dtype = tensor.local.defined() ? DTypeOf(tensor.local.scalar_type()) : std::nullopt;
  if (!dtype || !tensor.local.device().is_cpu() || tensor.local.layout() != at::kStrided) {
    throw BadTensor(name, "is not a dense tensor on the CPU; copy it there before");
  }
  TensorPart part{.name = name, .dtype = *dtype, .shape = tensor.local.sizes().vec()};
  if (tensor.shape.empty() && tensor.offsets.empty()) return part;
  part.sizes = std::exchange(part.shape, tensor.shape);
  part.offsets = tensor.offsets;
  return part;
}

void Add(GatheredParts& gathered, const std::string& name, const ShardedTensor& tensor) {
  if (IsOfValues(name)) throw BadTensor(name, "has a name of numbers, texts or the cursor; take another one");
  gathered.parts.push_back(PartOf(name, tensor));
  gathered.tensors.push_back(tensor.local);
}

void AddText(GatheredParts& gathered, std::string name, std::string_view text) {
  at::Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
  if (!text.empty()) std::memcpy(bytes.data_ptr(), text.data(), text.size());
  gathered.parts.push_back({.name = std::move(name), .dtype = DType::kUint8, .shape = bytes.sizes().vec()});
  gathered.tensors.push_back(std::move(bytes));
}

void AddNumber(GatheredParts& gathered, std::string name, std::int64_t number) {
  gathered.parts.push_back({.name = std::move(name), .dtype = DType::kInt64});
  gathered.tensors.push_back(at::scalar_tensor(number, at::kLong));
}

// The state's own tensors.
GatheredParts OwnTensors(const ShardedState& state) {
  GatheredParts own;
  for (const auto& [module_name, module] : state.modules) {
    if (module == nullptr) {
      throw Failure(ErrorCode::kInvalidArgument, "ShardedState: the module '" + module_name + "' is null");
    }
    for (const auto& [name, tensor] : TensorsOf(*module)) {
      Add(own, module_name + "." + name, {.local = tensor, .shape = {}, .offsets = {}});
    }
  }
  for (const auto& [name, tensor] : state.tensors) Add(own, name, tensor);
  return own;
}

std::string TextOf(const at::Tensor& bytes) {
  return {static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel())};
}

}  // namespace

ShardedTensor Sharded(at::Tensor local, std::int64_t rows, const RankShare& share) {
  const auto& [rank, world_size, dimension] = share;
  if (rank < 0 || rank >= world_size) {
    throw Failure(ErrorCode::kInvalidArgument,
                  "there is no rank " + std::to_string(rank) + " among " + std::to_string(world_size));
  }
  if (!local.defined() || dimension < 0 || dimension >= local.dim() || rows < 0) {
    throw Failure(ErrorCode::kInvalidArgument, "the tensor has no dimension " + std::to_string(dimension) +
                                                   " that is a part of " + std::to_string(rows) + " rows");
  }
  const std::int64_t own = local.size(dimension);
  const RowsOfRank of_rank = DivideRows(rows, share);
  if (own != of_rank.end - of_rank.begin) {
    throw Failure(ErrorCode::kInvalidArgument, "rank " + std::to_string(rank) + " of " + std::to_string(world_size) +
                                                   " has " + std::to_string(of_rank.end - of_rank.begin) + " of " +
                                                   std::to_string(rows) + " rows, and this tensor has " +
                                                   std::to_string(own));
  }
  ShardedTensor sharded{.local = std::move(local), .shape = {}, .offsets = {}};
  sharded.shape = sharded.local.sizes().vec();
  sharded.shape[static_cast<std::size_t>(dimension)] = rows;
  sharded.offsets.assign(sharded.shape.size(), 0);
  sharded.offsets[static_cast<std::size_t>(dimension)] = of_rank.begin;
  return sharded;
}

GatheredParts GatherParts(const ShardedState& state, bool has_values) {
  GatheredParts gathered = OwnTensors(state);
  for (at::Tensor& tensor : gathered.tensors) tensor = PlainOf(tensor);
  if (!has_values) return gathered;
  for (const auto& [name, number] : state.numbers) AddNumber(gathered, std::string(kNumbers) + name, number);
  for (const auto& [name, text] : state.texts) AddText(gathered, std::string(kTexts) + name, text);
  if (state.cursor) AddText(gathered, std::string(kCursor), FormatCursor(*state.cursor));
  return gathered;
}

StagedParts::StagedParts(const ShardedState& state, const CheckpointManifest& step, std::optional<PlainValues> values)
    : state_(OwnTensors(state)), values_(std::move(values)) {
  staged_.parts = state_.parts;
  for (std::size_t i = 0; i < state_.tensors.size(); ++i) {
    const at::Tensor& tensor = state_.tensors[i];
    if (const auto why = WhyNotWritable(tensor)) throw BadTensor(state_.parts[i].name, *why);
    staged_.tensors.push_back(at::empty(tensor.sizes(), tensor.options().requires_grad(false)));
  }
  if (values_) return;
  for (const StepTensor& stored : step.tensors) {
    if (!IsOfValues(stored.name)) continue;
    const bool is_number = stored.name.starts_with(kNumbers);
    staged_.parts.push_back(
        {.name = stored.name,
         .dtype = is_number ? DType::kInt64 : DType::kUint8,
         .shape = stored.shape.size() == (is_number ? 0U : 1U) ? stored.shape : std::vector<std::int64_t>()});
    staged_.tensors.push_back(at::empty(staged_.parts.back().shape, is_number ? at::kLong : at::kByte));
  }
}

std::vector<PartToLoad> StagedParts::ToLoad() const {
  std::vector<PartToLoad> parts;
  for (std::size_t i = 0; i < staged_.parts.size(); ++i)
    parts.push_back({staged_.parts[i], BytesOf(staged_.tensors[i])});
  return parts;
}

void StagedParts::MoveInto(ShardedState& state) const {
  PlainValues values = values_.value_or(PlainValues());
  for (std::size_t i = state_.tensors.size(); i < staged_.tensors.size(); ++i) {
    const std::string& name = staged_.parts[i].name;
    const at::Tensor& value = staged_.tensors[i];
    if (name.starts_with(kNumbers))
      values.numbers[name.substr(kNumbers.size())] = value.item<std::int64_t>();
    else if (name.starts_with(kTexts))
      values.texts[name.substr(kTexts.size())] = TextOf(value);
    else
      values.cursor = ValueOrThrow(ParseCursor(TextOf(value)));
  }
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < state_.tensors.size(); ++i) {
    at::Tensor own = state_.tensors[i];
    own.copy_(staged_.tensors[i]);
  }
  state.numbers = std::move(values.numbers);
  state.texts = std::move(values.texts);
  state.cursor = std::move(values.cursor);
}

}  // namespace gcsflux
