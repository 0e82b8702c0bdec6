#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/base64.h"
#include "base/text/rfc3339.h"
#include "base/text/zero_byte.h"
#include "checkpoints/check_manifest.h"
#include "checkpoints/manifest.h"
#include "checkpoints/tensor_table.h"
#include "formats/bytes/format_error.h"

namespace gcsflux {
namespace {

using nlohmann::json;

constexpr const char* kVersionField = "gcsflux_checkpoint";
constexpr std::uint64_t kVersion = 2;
constexpr std::uint64_t kVersionOfLists = 1;  // Written if possible, for older programs.
constexpr int kMostLevels = 8;
constexpr std::size_t kMostListed = 30'000;  // Tensors. If there are more, they are a table.
constexpr std::size_t kMostValues = 8'000'000;
constexpr const char* kTableField = "tensor_table";

json ToJson(const StepFile& file) {
  return {{"name", file.name}, {"size", file.size}, {"generation", file.generation}, {"crc32c", file.crc32c}};
}

json ToJson(const StepTensor& tensor) {
  json one = {{"name", tensor.name},
              {"file", tensor.file},
              {"begin", tensor.range.begin},
              {"end", tensor.range.end},
              {"dtype", DTypeName(tensor.dtype)},
              {"shape", tensor.shape}};
  if (!tensor.strides.empty()) one["strides"] = tensor.strides;
  if (!tensor.offsets.empty()) one["offsets"] = tensor.offsets;
  if (!tensor.whole_shape.empty()) one["whole_shape"] = tensor.whole_shape;
  if (tensor.crc32c) one["crc32c"] = *tensor.crc32c;
  return one;
}

json ListOf(const std::vector<StepTensor>& tensors) {
  json list = json::array();
  for (const StepTensor& tensor : tensors) list.push_back(ToJson(tensor));
  return list;
}

/// Takes fields out of JSON, and remembers the first thing that is wrong.
class Fields {
 public:
  [[nodiscard]] const std::string& why() const { return why_; }

  void Refuse(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }

  const json& At(const json& object, const char* key) {
    static const json& nothing = *new json();
    const auto found = object.find(key);
    if (found != object.end()) return *found;
    Refuse("it lacks the field '" + std::string(key) + "'");
    return nothing;
  }

  template <class T>
  T NumberOf(const json& value, const char* key) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost) return value.get<T>();
    if (std::is_signed_v<T> && value.is_number_integer() && !value.is_number_unsigned()) return value.get<T>();
    Refuse("the field '" + std::string(key) + "' is no whole number that fits there");
    return {};
  }
  template <class T>
  T Number(const json& object, const char* key) {
    return NumberOf<T>(At(object, key), key);
  }

  std::string Text(const json& object, const char* key) {
    const json& value = At(object, key);
    if (value.is_string()) return value.get<std::string>();
    Refuse("the field '" + std::string(key) + "' is no text");
    return {};
  }

  std::vector<std::int64_t> Sizes(const json& object, const char* key) {
    std::vector<std::int64_t> sizes;
    for (const json& value : List(object, key)) sizes.push_back(NumberOf<std::int64_t>(value, key));
    return sizes;
  }

  const json& List(const json& object, const char* key) { return Checked(object, key, json::value_t::array); }
  const json& Object(const json& object, const char* key) { return Checked(object, key, json::value_t::object); }

 private:
  const json& Checked(const json& object, const char* key, json::value_t type) {
    static const json& empty = *new json(json::array());
    const json& value = At(object, key);
    if (value.type() == type) return value;
    Refuse("the field '" + std::string(key) + "' is of another type");
    return empty;
  }

  std::string why_;
};

StepFile FileFrom(Fields& fields, const json& one) {
  return {.name = fields.Text(one, "name"),
          .size = fields.Number<std::uint64_t>(one, "size"),
          .generation = fields.Number<std::int64_t>(one, "generation"),
          .crc32c = fields.Number<std::uint32_t>(one, "crc32c")};
}

StepTensor TensorFrom(Fields& fields, const json& one) {
  StepTensor tensor{.name = fields.Text(one, "name"),
                    .file = fields.Number<std::size_t>(one, "file"),
                    .range = {fields.Number<std::uint64_t>(one, "begin"), fields.Number<std::uint64_t>(one, "end")},
                    .shape = fields.Sizes(one, "shape")};
  const auto dtype = DTypeFromName(fields.Text(one, "dtype"));
  if (!dtype) fields.Refuse("tensor " + internal::Shown(tensor.name) + " has a type that is not known");
  tensor.dtype = dtype.value_or(DType::kFloat32);
  if (one.contains("strides")) tensor.strides = fields.Sizes(one, "strides");
  if (one.contains("offsets")) tensor.offsets = fields.Sizes(one, "offsets");
  if (one.contains("whole_shape")) tensor.whole_shape = fields.Sizes(one, "whole_shape");
  if (one.contains("crc32c")) tensor.crc32c = fields.Number<std::uint32_t>(one, "crc32c");
  return tensor;
}

void ReadTensors(Fields& fields, const json& all, std::vector<StepTensor>& tensors) {
  if (!all.contains(kTableField)) {
    for (const json& one : fields.List(all, "tensors")) {
      if (!fields.why().empty()) break;
      tensors.push_back(TensorFrom(fields, one));
    }
    return;
  }
  const auto bytes = internal::Base64Decode(fields.Text(all, kTableField));
  auto table = bytes ? internal::ParseTensorTable(*bytes) : std::nullopt;
  if (!table) fields.Refuse("the table of tensors cannot be read");
  if (table) tensors = *std::move(table);
}

CheckpointManifest ManifestFrom(Fields& fields, const json& all) {
  CheckpointManifest manifest{.run = fields.Text(all, "run"),
                              .step = fields.Number<std::int64_t>(all, "step"),
                              .writer = fields.Text(all, "writer")};
  const auto time = internal::ParseRfc3339(fields.Text(all, "time"));
  if (!time) fields.Refuse("the field 'time' is no time");
  manifest.time = time.value_or(std::chrono::system_clock::time_point());
  for (const json& one : fields.List(all, "files")) manifest.files.push_back(FileFrom(fields, one));
  ReadTensors(fields, all, manifest.tensors);
  for (const auto& [name, value] : fields.Object(all, "metrics").items()) {
    if (!value.is_number()) fields.Refuse("the metric " + internal::Shown(name) + " is no number");
    manifest.metrics[name] = value.is_number() ? value.get<double>() : 0;
  }
  for (const auto& [key, value] : fields.Object(all, "metadata").items()) {
    if (!value.is_string()) fields.Refuse("the metadata " + internal::Shown(key) + " is no text");
    manifest.metadata[key] = value.is_string() ? value.get<std::string>() : "";
  }
  return manifest;
}

Error Damaged(const std::string& place, const std::string& why) {
  return {ErrorCode::kUndecodable,
          place + ": " + why + "; the step is damaged: load another one, or remove it by `gcsflux checkpoint rm`"};
}

}  // namespace

Result<std::string> FormatManifest(const CheckpointManifest& manifest) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument, "step " + std::to_string(manifest.step) + " cannot be saved: " + why};
  };
  if (const auto wrong = internal::WhatIsWrongWith(manifest)) return refuse(*wrong);
  const bool is_table = manifest.tensors.size() > kMostListed;
  json all = {{kVersionField, is_table ? kVersion : kVersionOfLists},
              {"run", manifest.run},
              {"step", manifest.step},
              {"time", internal::FormatRfc3339(manifest.time)},
              {"writer", manifest.writer},
              {"metrics", manifest.metrics},
              {"metadata", manifest.metadata},
              {"files", json::array()}};
  for (const StepFile& file : manifest.files) all["files"].push_back(ToJson(file));
  if (is_table && !internal::FitsIntoTable(manifest.tensors)) return refuse("it has too many tensors; name fewer");
  if (is_table) all[kTableField] = internal::Base64Encode(internal::FormatTensorTable(manifest.tensors));
  if (!is_table) all["tensors"] = ListOf(manifest.tensors);
  std::string text = all.dump();
  if (text.size() <= kMaxManifestBytes) return text;
  return refuse("its manifest would have " + std::to_string(text.size()) + " bytes, and " +
                std::to_string(kMaxManifestBytes) + " are the most; name fewer tensors");
}

Result<CheckpointManifest> ParseManifest(std::string_view text, const std::string& place) {
  if (text.size() > kMaxManifestBytes) return Damaged(place, "it is too long for a manifest");
  bool is_too_deep = false;
  std::size_t values = 0;
  const auto bound = [&](int depth, json::parse_event_t, const json&) {
    is_too_deep = is_too_deep || depth > kMostLevels || ++values > kMostValues;
    return !is_too_deep;
  };
  const json all = json::parse(text, bound, false);
  const bool is_object = !is_too_deep && !internal::HasZeroByte(text) && all.is_object();
  if (!is_object) return Damaged(place, "this is no JSON of a manifest, or a part of it");
  Fields fields;
  const auto version = fields.Number<std::uint64_t>(all, kVersionField);
  if (fields.why().empty() && version > kVersion) {
    return Error{ErrorCode::kUndecodable, place + ": its format has version " + std::to_string(version) +
                                              ", and this program reads up to " + std::to_string(kVersion) +
                                              "; use a newer gcsflux, or load another step"};
  }
  CheckpointManifest manifest = ManifestFrom(fields, all);
  if (!fields.why().empty()) return Damaged(place, fields.why());
  if (const auto wrong = internal::WhatIsWrongWith(manifest)) return Damaged(place, *wrong);
  return manifest;
}

Step StepOf(const StoredStep& stored) {
  const CheckpointManifest& manifest = stored.manifest;
  Step step{.number = manifest.step,
            .run = manifest.run,
            .time = manifest.time,
            .files = manifest.files,
            .metrics = manifest.metrics,
            .metadata = manifest.metadata,
            .generation = stored.generation};
  for (const StepFile& file : manifest.files) step.bytes += file.size;
  return step;
}

}  // namespace gcsflux
