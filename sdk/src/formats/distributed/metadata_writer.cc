#include "base/text/utf8.h"
#include "formats/bytes/format_error.h"
#include "formats/distributed/distributed_metadata.h"
#include "formats/pickle/pickle_output.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kMetadataModule = "torch.distributed.checkpoint.metadata";
constexpr std::string_view kFilesModule = "torch.distributed.checkpoint.filesystem";
constexpr std::string_view kVersion = "1.0.0";  // CURRENT_DCP_VERSION of PyTorch

// The objects of PyTorch's dataclasses: a class, and a dictionary of attributes.
class MetadataWriter : private PickleOutput {
 public:
  explicit MetadataWriter(const DistributedMetadata& metadata) : metadata_(metadata) {}

  Result<std::string> Write() && {
    pickle_ = "\x80\x02";
    BeginObject(kMetadataModule, "Metadata");
    PutEntries();
    PutPaths();
    PutPlaces();
    Key("storage_meta");
    pickle_ += 'N';
    Key("version");
    PutFixedText(kVersion);
    EndObject();
    pickle_ += '.';
    if (why_) return Error{ErrorCode::kInvalidArgument, "the metadata cannot be written: " + *why_};
    return std::move(pickle_);
  }

 private:
  void BeginObject(std::string_view module, std::string_view name) {
    PutGlobal(module, name);
    pickle_ += ")\x81}(";
  }
  void EndObject() { pickle_ += "ub"; }
  void Key(std::string_view name) { PutFixedText(name); }

  void PutName(const std::string& name) {
    if (!IsUtf8(name)) Fail("the name " + Shown(name) + " is not UTF-8");
    PutText(name);
  }

  void PutSize(const std::vector<std::int64_t>& sizes) {
    PutGlobal("torch", "Size");
    PutNumbers(sizes);
    pickle_ += "\x85R";
  }

  // ------------------------------------------------------------------------------------------------- what there is

  void PutEntries() {
    Key("state_dict_metadata");
    pickle_ += "}(";
    for (const DistributedTensor& tensor : metadata_.tensors) {
      PutName(tensor.name);
      PutTensor(tensor);
    }
    for (const DistributedValue& value : metadata_.values) {
      PutName(value.name);
      PutGlobal(kMetadataModule, "BytesStorageMetadata");
      pickle_ += ")\x81";
    }
    pickle_ += 'u';
  }

  void PutTensor(const DistributedTensor& tensor) {
    BeginObject(kMetadataModule, "TensorStorageMetadata");
    Key("properties");
    PutProperties(tensor.dtype);
    Key("size");
    PutSize(tensor.shape);
    Key("chunks");
    pickle_ += "](";
    for (const DistributedChunk& chunk : tensor.chunks) {
      BeginObject(kMetadataModule, "ChunkStorageMetadata");
      Key("offsets");
      PutSize(chunk.offsets);
      Key("sizes");
      PutSize(chunk.sizes);
      EndObject();
    }
    pickle_ += 'e';
    EndObject();
  }

  // (dtype, layout, requires_grad, memory_format, pin_memory), of which PyTorch uses the first.
  void PutProperties(DType dtype) {
    PutGlobal(kMetadataModule, "TensorProperties");
    pickle_ += ")\x81(";
    PutGlobal("torch", DTypeName(dtype));
    PutGlobal("torch.serialization", "_get_layout");
    PutFixedText("torch.strided");
    pickle_ += "\x85R\x89";
    PutGlobal(kMetadataModule, "_MEM_FORMAT_ENCODING");
    PutInteger(0);  // TORCH_CONTIGUOUS_FORMAT
    pickle_ += "\x85R\x89tb";
  }

  void PutPaths() {
    Key("planner_data");
    pickle_ += "}(";
    for (const DistributedPath& path : metadata_.paths) {
      PutName(path.name);
      BeginTuple(path.steps.size());
      for (const PathStep& step : path.steps) {
        if (const auto* const text = std::get_if<std::string>(&step)) {
          PutName(*text);
        } else {
          PutInteger(std::get<std::int64_t>(step));
        }
      }
      EndTuple(path.steps.size());
    }
    pickle_ += 'u';
  }

  // ---------------------------------------------------------------------------------------------- where it lies

  void PutPlaces() {
    Key("storage_data");
    pickle_ += "}(";
    for (const DistributedTensor& tensor : metadata_.tensors) {
      for (std::size_t i = 0; i < tensor.chunks.size(); ++i) {
        PutIndex(tensor.name, &tensor.chunks[i].offsets, i);
        PutPlace(tensor.chunks[i].item);
      }
    }
    for (const DistributedValue& value : metadata_.values) {
      PutIndex(value.name, nullptr, 0);
      PutPlace(value.item);
    }
    pickle_ += 'u';
  }

  void PutIndex(const std::string& name, const std::vector<std::int64_t>* offsets, std::size_t index) {
    BeginObject(kMetadataModule, "MetadataIndex");
    Key("fqn");
    PutName(name);
    if (offsets != nullptr) {
      Key("offset");
      PutSize(*offsets);
      Key("index");
      PutInteger(static_cast<std::int64_t>(index));
    } else {
      Key("index");
      pickle_ += 'N';
    }
    EndObject();
  }

  void PutPlace(const DistributedItem& item) {
    BeginObject(kFilesModule, "_StorageInfo");
    Key("relative_path");
    PutFixedText(metadata_.files[item.file]);
    Key("offset");
    PutInteger(static_cast<std::int64_t>(item.range.begin));
    Key("length");
    PutInteger(static_cast<std::int64_t>(item.range.size()));
    EndObject();
  }

  const DistributedMetadata& metadata_;
};

}  // namespace

Result<std::string> FormatDistributedMetadata(const DistributedMetadata& metadata) {
  return MetadataWriter(metadata).Write();
}

}  // namespace gcsflux::internal
