// Reads and writes checkpoints without libtorch, for tests/torch/interop.py: formats_tool COMMAND FILE...

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>

#include "checkpoints/safetensors_state.h"
#include "formats/local_file.h"
#include "formats/read_storage.h"
#include "formats/safetensors/safetensors.h"
#include "formats/sharded_files.h"
#include "formats/tagged_json.h"
#include "formats/torch_file_writer.h"

namespace gcsflux::formats_tests {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

Result<StoredCheckpoint> OpenTorchFile(const std::string& path) {
  auto source = OpenLocalFile(path);
  if (!source.ok()) return source.error();
  return StoredCheckpoint::Open(*std::move(source));
}

Result<void> Print(const Result<StoredCheckpoint>& file) {
  if (!file.ok()) return file.error();
  const auto root = file->reader().ReadValue();
  json tensors = json::object();
  for (const StoredTensor& tensor : file->tensors()) {
    tensors[tensor.name] = TaggedJson(*file, pickled::Value{.any = tensor.layout});
  }
  json refused = json::object();
  for (const RefusedValue& value : file->refused()) refused[value.name] = value.why;
  std::cout << json({{"root", root.ok() ? TaggedJson(*file, *root) : json(root.error().message)},
                     {"tensors", tensors},
                     {"refused", refused}})
                   .dump()
            << '\n';
  return {};
}

// Blocks of zeros become holes.
Result<void> WriteSparseFile(const TorchFileContents& contents, const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return FileError(path);
  static const std::vector<std::byte> kZeros(1 << 20);
  const ByteSink sink = [&](std::span<const std::byte> bytes) -> Result<void> {
    const bool is_hole = bytes.data() == kZeros.data();
    const auto done = is_hole ? ::lseek(descriptor, static_cast<off_t>(bytes.size()), SEEK_CUR)
                              : ::write(descriptor, bytes.data(), bytes.size());
    return done < 0 ? Result<void>(FileError(path)) : Result<void>();
  };
  const StorageWriter zeros = [&](std::size_t storage, const ByteSink& into) -> Result<void> {
    std::uint64_t left = contents.storage_bytes[storage];
    while (left > 0) {
      const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left, kZeros.size()));
      if (auto put = into(std::span(kZeros).first(size)); !put.ok()) return put;
      left -= size;
    }
    return {};
  };
  auto written = WriteTorchFile(contents, zeros, sink);
  ::close(descriptor);
  return written;
}

// The content of a file of torch.save or libtorch.
Result<void> Describe(const Arguments& paths) { return Print(OpenTorchFile(paths[0])); }

Result<void> WriteCopy(const StoredCheckpoint& file, const TorchFileContents& contents, const std::string& path) {
  const auto sink = CreateLocalFile(path);
  if (!sink.ok()) return sink.error();
  const StorageWriter write_storage = [&](std::size_t storage, const ByteSink& into) -> Result<void> {
    std::vector<std::byte> bytes(static_cast<std::size_t>(contents.storage_bytes[storage]));
    if (auto read = ReadStorage(file, storage, bytes); !read.ok()) return read;
    return into(bytes);
  };
  return WriteTorchFile(contents, write_storage, *sink);
}

// A file of torch.save, written again by this library.
Result<void> Rewrite(const Arguments& paths) {
  const auto file = OpenTorchFile(paths[0]);
  if (!file.ok()) return file.error();
  auto root = file->reader().ReadValue();
  if (!root.ok()) return root.error();
  TorchFileContents contents{.root = *std::move(root)};
  for (const StoredStorage& storage : file->reader().storages()) contents.storage_bytes.push_back(storage.bytes);
  return WriteCopy(*file, contents, paths[1]);
}

// A state_dict of `count` tensors of `elements` float32 each; element i of tensor t is t + i.
Result<void> Make(const Arguments& arguments) {
  const std::size_t count = std::stoull(arguments[1]);
  const std::size_t elements = std::stoull(arguments[2]);
  pickled::Dict dict{.kind = pickled::DictKind::kOrderedDict};
  for (std::size_t i = 0; i < count; ++i) {
    const TensorLayout layout{.storage = i, .shape = {static_cast<std::int64_t>(elements)}, .strides = {1}};
    dict.entries.push_back({{.any = "layer" + std::to_string(i)}, {.any = layout}});
  }
  const TorchFileContents contents{.root = {.any = std::move(dict)},
                                   .storage_bytes = std::vector<std::uint64_t>(count, 4 * elements)};
  const auto sink = CreateLocalFile(arguments[0]);
  if (!sink.ok()) return sink.error();
  const StorageWriter write_storage = [&](std::size_t storage, const ByteSink& into) -> Result<void> {
    constexpr std::size_t kPiece = 1 << 20;
    std::vector<float> piece;
    for (std::size_t at = 0; at < elements; at += piece.size()) {
      piece.resize(std::min(kPiece, elements - at));
      for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<float>(storage + at + i);
      if (auto put = into(std::as_bytes(std::span(piece))); !put.ok()) return put;
    }
    return {};
  };
  return WriteTorchFile(contents, write_storage, *sink);
}

// Two tensors of zeros, which are holes in the file; the first one has `elements` float32.
Result<void> MakeSparse(const Arguments& arguments) {
  const auto elements = static_cast<std::int64_t>(std::stoull(arguments[1]));
  pickled::Dict dict{};
  dict.entries.push_back({{.any = "layer0"}, {.any = TensorLayout{.storage = 0, .shape = {elements}, .strides = {1}}}});
  dict.entries.push_back({{.any = "layer1"}, {.any = TensorLayout{.storage = 1, .shape = {4}, .strides = {1}}}});
  const std::vector<std::uint64_t> storage_bytes = {static_cast<std::uint64_t>(elements) * 4, 16};
  return WriteSparseFile({.root = {.any = std::move(dict)}, .storage_bytes = storage_bytes}, arguments[0]);
}

// The names and shapes of a file's tensors.
Result<void> List(const Arguments& paths) {
  const auto file = OpenTorchFile(paths[0]);
  if (!file.ok()) return file.error();
  json shapes = json::object();
  for (const StoredTensor& tensor : file->tensors()) shapes[tensor.name] = tensor.layout.shape;
  std::cout << shapes.dump() << '\n';
  return {};
}

// Through the reader of all formats.
Result<std::string> BytesOfTensor(const ByteSource& source, const SafeTensor& tensor) {
  const auto opened = StoredCheckpoint::Open(source);
  if (!opened.ok()) return opened.error();
  const auto found = opened->Find(tensor.name);
  if (!found.ok()) return found.error();
  std::string bytes(static_cast<std::size_t>(tensor.range.size()), '\0');
  auto read = opened->ReadTensor(*found, std::as_writable_bytes(std::span(bytes)));
  if (!read.ok()) return read.error();
  return bytes;
}

// The content of a file of safetensors.
Result<void> DescribeSafetensors(const Arguments& paths) {
  const auto source = OpenLocalFile(paths[0]);
  if (!source.ok()) return source.error();
  const auto header = ReadSafetensorsHeader(*source);
  if (!header.ok()) return header.error();
  json tensors = json::object();
  for (const SafeTensor& tensor : header->tensors) {
    const auto bytes = BytesOfTensor(*source, tensor);
    if (!bytes.ok()) return bytes.error();
    tensors[tensor.name] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data", Hex(std::as_bytes(std::span(*bytes)))}};
  }
  const auto has_checksum = [](const SafeTensor& tensor) { return tensor.crc32c.has_value(); };
  const bool is_verifiable = std::ranges::all_of(header->tensors, has_checksum);
  std::cout << json({{"tensors", tensors}, {"metadata", json(header->metadata)}, {"verifiable", is_verifiable}}).dump()
            << '\n';
  return {};
}

// A file of safetensors, written again by this library.
Result<void> RewriteSafetensors(const Arguments& paths) {
  const auto source = OpenLocalFile(paths[0]);
  if (!source.ok()) return source.error();
  const auto header = ReadSafetensorsHeader(*source);
  if (!header.ok()) return header.error();
  SafetensorsContents contents{.metadata = header->metadata};
  for (const SafeTensor& tensor : header->tensors)
    contents.tensors.push_back({tensor.name, *tensor.dtype, tensor.shape});
  const TensorWriter write_tensor = [&](std::size_t tensor, const ByteSink& sink) -> Result<void> {
    const auto bytes = BytesOfTensor(*source, header->tensors[tensor]);
    if (!bytes.ok()) return bytes.error();
    return sink(std::as_bytes(std::span(*bytes)));
  };
  const auto sink = CreateLocalFile(paths[1]);
  if (!sink.ok()) return sink.error();
  const auto written = WriteSafetensors(contents, write_tensor, *sink);
  return written.ok() ? Result<void>() : written.error();
}

// A step of a training run in safetensors: a module of two tensors that share memory, its optimizer, numbers and texts.
Result<void> MakeSharded(const Arguments& arguments) { return WriteShardedFiles(arguments[0]); }

Result<void> MakeRunState(const Arguments& paths) {
  using pickled::Dict;
  const auto text = [](const char* of) { return pickled::Value{.any = std::string(of)}; };
  const std::vector<float> weights = {0, 1, 2, 3, 4, 5};
  const std::vector<double> average = {0.5, 0.25};
  const Dict module{.entries = {{text("weight"), {.any = TensorLayout{.shape = {2, 3}, .strides = {3, 1}}}},
                                {text("turned"), {.any = TensorLayout{.shape = {3, 2}, .strides = {1, 3}}}}}};
  const Dict moments{
      .entries = {
          {text("avg"), {.any = TensorLayout{.dtype = DType::kFloat64, .storage = 1, .shape = {2}, .strides = {1}}}}}};
  const pickled::Tuple betas{{{.any = 0.9}, {.any = 0.999}}};
  const Dict optimizer{
      .entries = {{text("state"), {.any = Dict{.entries = {{{.any = std::int64_t{0}}, {.any = moments}}}}}},
                  {text("betas"), {.any = betas}}}};
  const Dict root{.entries = {{text("model"), {.any = module}},
                              {text("optimizer"), {.any = optimizer}},
                              {text("numbers"), {.any = Dict{.entries = {{text("step"), {.any = std::int64_t{42}}}}}}},
                              {text("texts"), {.any = Dict{.entries = {{text("name"), text("gr\xC3\xB6sse")}}}}}}};
  const internal::StateContents contents{
      .root = {.any = root}, .storages = {std::as_bytes(std::span(weights)), std::as_bytes(std::span(average))}};
  const auto sink = CreateLocalFile(paths[0]);
  if (!sink.ok()) return sink.error();
  const auto tensors = internal::PlainTensors(contents);
  if (!tensors.ok()) return tensors.error();
  std::vector<const internal::PlainTensor*> all;
  for (const internal::PlainTensor& tensor : *tensors) all.push_back(&tensor);
  std::vector<StepTensor> written;
  return internal::WriteSafetensorsState(contents, all, *sink, written);
}

struct Command {
  std::size_t arguments;
  std::function<Result<void>(const Arguments&)> run;
};

const std::map<std::string, Command>& Commands() {
  static const std::map<std::string, Command> commands = {{"list", {1, List}},
                                                          {"describe_safetensors", {1, DescribeSafetensors}},
                                                          {"rewrite_safetensors", {2, RewriteSafetensors}},
                                                          {"make_run_state", {1, MakeRunState}},
                                                          {"make_sharded", {1, MakeSharded}},
                                                          {"make_sparse", {2, MakeSparse}},
                                                          {"describe", {1, Describe}},
                                                          {"rewrite", {2, Rewrite}},
                                                          {"make", {3, Make}}};
  return commands;
}

int Run(const Arguments& arguments) {
  const auto command = arguments.empty() ? Commands().end() : Commands().find(arguments.front());
  if (command == Commands().end() || arguments.size() != command->second.arguments + 1) {
    std::cerr << "usage: formats_tool describe FILE | rewrite FROM TO | make FILE TENSORS "
                 "ELEMENTS |\n"
                 "       formats_tool make_sparse FILE ELEMENTS | make_run_state FILE | make_sharded DIRECTORY |\n"
                 "       formats_tool list FILE | describe_safetensors FILE | rewrite_safetensors FROM TO\n";
    return 2;
  }
  const auto done = command->second.run({arguments.begin() + 1, arguments.end()});
  if (!done.ok()) std::cerr << ErrorCodeName(done.error().code) << ": " << done.error().message << '\n';
  return done.ok() ? 0 : 1;
}

}  // namespace
}  // namespace gcsflux::formats_tests

int main(int count, char** arguments) {
  return gcsflux::formats_tests::Run(std::vector<std::string>(arguments + 1, arguments + count));
}
