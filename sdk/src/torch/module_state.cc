#include <torch/nn/functional/instancenorm.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/instancenorm.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "torch/failure.h"
#include "torch/module_tensors.h"
#include "torch/pending_reads.h"
#include "torch/scalar_types.h"
#include "torch/state_dict_writer.h"
#include "torch/tensor_bytes.h"
#include "torch/writable.h"

namespace gcsflux {
namespace {

using torch::nn::Module;

// Parameters, then buffers, then children, in the order of Python's state_dict().
void CollectTensors(const Module& module, const std::string& path, NamedTensors& tensors) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    tensors.emplace_back(path + parameter.key(), parameter.value());
  }
  for (const auto& buffer : module.named_buffers(/*recurse=*/false)) {
    tensors.emplace_back(path + buffer.key(), buffer.value());
  }
  for (const auto& child : module.named_children()) CollectTensors(*child.value(), path + child.key() + ".", tensors);
}

template <class... Classes>
bool IsOneOf(const Module& module) {
  return ((dynamic_cast<const Classes*>(&module) != nullptr) || ...);
}

// In Python, version 2 of these classes has num_batches_tracked.
std::int64_t VersionOf(const Module& module) {
  using namespace torch::nn;  // NOLINT(google-build-using-namespace): for the list below
  const bool is_second = IsOneOf<BatchNorm1dImpl, BatchNorm2dImpl, BatchNorm3dImpl, InstanceNorm1dImpl,
                                 InstanceNorm2dImpl, InstanceNorm3dImpl>(module);
  return is_second ? 2 : 1;
}

void CollectVersions(const Module& module, const std::string& path, pickled::Entries& entries) {
  pickled::Dict version{.entries = {{{.any = std::string("version")}, {.any = VersionOf(module)}}}};
  entries.push_back({{.any = path}, {.any = std::move(version)}});
  for (const auto& child : module.named_children()) {
    CollectVersions(*child.value(), path.empty() ? child.key() : path + "." + child.key(), entries);
  }
}

class Names {
 public:
  explicit Names(const LoadModuleOptions& options) : prefix_(options.prefix) {
    for (const auto& [pattern, replacement] : options.renames) {
      try {
        rules_.emplace_back(std::regex(pattern), replacement);
      } catch (const std::regex_error&) {
        throw Failure(ErrorCode::kInvalidArgument, "'" + pattern + "' is not a regular expression");
      }
    }
  }

  // The module's name for a checkpoint's. Nothing if it does not belong to the module.
  [[nodiscard]] std::optional<std::string> InModule(const std::string& name) const {
    if (!name.starts_with(prefix_)) return std::nullopt;
    std::string renamed = name.substr(prefix_.size());
    for (const auto& [pattern, replacement] : rules_) {
      if (renamed.size() > kLongestRenamed) throw NotRenamed(renamed, "is too long to be renamed");
      try {
        renamed = std::regex_replace(renamed, pattern, replacement);
      } catch (const std::regex_error&) {
        throw NotRenamed(renamed, "is too complex for one of the renames");
      }
    }
    return renamed;
  }

 private:
  // std::regex calls itself for each character; longer names would exceed the stack.
  static constexpr std::size_t kLongestRenamed = 1024;

  static StorageError NotRenamed(const std::string& name, const std::string& why) {
    return Failure(ErrorCode::kInvalidArgument, "the tensor's name '" + name.substr(0, 64) + "...' " + why);
  }

  std::string prefix_;
  std::vector<std::pair<std::regex, std::string>> rules_;
};

std::string Shown(c10::ScalarType type, at::IntArrayRef shape) {
  std::ostringstream text;
  text << type << " " << shape;
  return text.str();
}

std::optional<std::string> Difference(const at::Tensor& wanted, const TensorLayout& stored) {
  const auto type = ScalarTypeOf(stored.dtype);
  if (type == wanted.scalar_type() && wanted.sizes() == stored.shape) return std::nullopt;
  std::ostringstream text;
  text << "is " << DTypeName(stored.dtype) << " " << at::IntArrayRef(stored.shape) << " in the checkpoint, "
       << Shown(wanted.scalar_type(), wanted.sizes()) << " in the module";
  return text.str();
}

struct Pair {
  std::string name;  // In the module.
  at::Tensor wanted;
  StoredTensor stored;
};

// The prefix below which the checkpoint has all of the module's tensors. Nothing if there is none.
std::optional<std::string> PrefixOf(const NamedTensors& tensors, const StoredCheckpoint& checkpoint) {
  std::set<std::string_view> stored;
  for (const StoredTensor& tensor : checkpoint.tensors()) stored.insert(tensor.name);
  if (tensors.empty()) return std::nullopt;
  const std::string& first = tensors.front().first;
  for (const std::string_view name : stored) {
    if (!name.ends_with(first)) continue;
    const std::string prefix(name.substr(0, name.size() - first.size()));
    const auto is_below = [&](const auto& tensor) { return stored.contains(prefix + tensor.first); };
    if (std::all_of(tensors.begin(), tensors.end(), is_below)) return prefix;
  }
  return std::nullopt;
}

// Finds the stored tensor for each tensor of the module. Throws with all differences.
std::vector<Pair> Match(const Module& module, const StoredCheckpoint& checkpoint, const LoadModuleOptions& options) {
  const Names names(options);
  std::map<std::string, const StoredTensor*> stored;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    const auto name = names.InModule(tensor.name);
    if (name && !stored.emplace(*name, &tensor).second) {
      throw Failure(ErrorCode::kInvalidArgument,
                    checkpoint.name() + ": two tensors of the checkpoint become '" + *name + "'");
    }
  }
  std::map<std::string, std::string> refused;
  for (const RefusedValue& value : checkpoint.refused()) {
    if (const auto name = names.InModule(value.name)) refused.emplace(*name, value.why);
  }
  std::string differences;
  const auto add = [&](const std::string& name, const std::string& what) { differences += "\n  " + name + " " + what; };
  std::vector<Pair> pairs;
  const auto tensors = TensorsOf(module);
  for (const auto& [name, wanted] : tensors) {
    const auto found = stored.find(name);
    if (const auto why = refused.find(name); why != refused.end()) {
      add(name, "is not read: " + why->second);
    } else if (found == stored.end()) {
      if (options.is_strict) add(name, "is missing in the checkpoint");
    } else {
      if (!HasElements(wanted)) throw Failure(ErrorCode::kInvalidArgument, name + " " + *WhyNotWritable(wanted));
      if (const auto difference = Difference(wanted, found->second->layout)) add(name, *difference);
      pairs.push_back({name, wanted, *found->second});
      stored.erase(found);
    }
  }
  for (const auto& [name, tensor] : stored) {
    if (options.is_strict) add(name, "is unexpected: the module has none of this name");
  }
  if (differences.empty()) return pairs;
  const auto prefix = options.renames.empty() ? PrefixOf(tensors, checkpoint) : std::nullopt;
  if (prefix && *prefix != options.prefix) {
    differences += "\n  all are there with another prefix: set LoadModuleOptions::prefix to '" + *prefix + "'";
  }
  throw Failure(ErrorCode::kUndecodable, checkpoint.name() + ": it is not a checkpoint of this module:" + differences);
}

// Memory that is already used as a destination. Tied weights share it.
class TakenMemory {
 public:
  // False if a part of it is in use.
  bool Take(std::span<const std::byte> bytes) {
    if (bytes.empty()) return true;
    const std::byte* const end = bytes.data() + bytes.size();
    const auto behind = ends_.upper_bound(bytes.data());  // The first range that ends behind the beginning.
    if (behind != ends_.end() && behind->second < end) return false;
    ends_.emplace(end, bytes.data());
    return true;
  }

 private:
  std::map<const std::byte*, const std::byte*, std::less<>> ends_;  // Beginnings by ends.
};

}  // namespace

NamedTensors TensorsOf(const Module& module) {
  NamedTensors tensors;
  CollectTensors(module, "", tensors);
  std::erase_if(tensors, [](const auto& tensor) { return !tensor.second.defined(); });
  return tensors;
}

void RefuseLazyViews(const Module& module) {
  for (const auto& [name, tensor] : TensorsOf(module)) {
    if (!tensor.is_conj() && !tensor.is_neg()) continue;
    throw Failure(ErrorCode::kInvalidArgument,
                  name +
                      " is a view by conj(), which libtorch's archives neither store nor fill; register "
                      "its resolve_conj().resolve_neg(), or take another format");
  }
}

void AddModule(PendingReads& reads, Module& module, const StoredCheckpoint& checkpoint,
               const LoadModuleOptions& options) {
  TakenMemory taken;
  for (Pair& pair : Match(module, checkpoint, options)) {
    const at::Tensor& wanted = pair.wanted;
    at::Tensor into = wanted;
    const bool is_direct = reads.mode() == LoadMode::kInPlace && IsPlain(into) && taken.Take(BytesOf(into));
    if (!is_direct) {
      if (const auto why = WhyNotWritable(wanted)) throw Failure(ErrorCode::kInvalidArgument, pair.name + " " + *why);
      into = at::empty(wanted.sizes(), wanted.scalar_type());
      reads.Change([wanted, into] { wanted.detach().copy_(into); });
    }
    reads.Read(std::move(pair.stored), into);
  }
}

void LoadModule(Module& module, const StoredCheckpoint& checkpoint, const LoadModuleOptions& options) {
  PendingReads reads(options.mode);
  AddModule(reads, module, checkpoint, options);
  if (const auto read = checkpoint.ReadTensors(reads.reads()); !read) {
    Error error = read.error();
    if (options.mode == LoadMode::kInPlace) {
      error.message += "; the module was touched: load another checkpoint, or with LoadMode::kAllOrNothing";
    }
    throw StorageError(std::move(error));
  }
  reads.RunChanges();
}

pickled::Value StateDictWriter::OfModule(const Module& module) {
  pickled::Value value = OfTensors(TensorsOf(module));
  auto& dict = std::get<pickled::Dict>(value.any);
  for (auto& [name, tensor] : dict.entries) std::get<TensorLayout>(tensor.any).requires_grad = false;
  pickled::Dict versions{.kind = pickled::DictKind::kOrderedDict};
  CollectVersions(module, "", versions.entries);
  dict.attributes.push_back({{.any = std::string("_metadata")}, {.any = std::move(versions)}});
  return value;
}

}  // namespace gcsflux
