#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pickle/pickled_value.h"
#include "gcsflux/result.h"

// A value with tensors as JSON: what safetensors has no place for, as one entry of its metadata. Numbers, texts, lists
// and dictionaries are JSON's own. The rest is an object with one key that begins with '$': {"$tensor":
// "model.weight"},
// {"$tuple": [0.9, 0.999]}, {"$dict": [[0, {}]]} if a key is no text, {"$bytes": "00ff"}, {"$float": "nan"}.
namespace gcsflux::internal {

/// The key in the metadata.
inline constexpr char kStateKey[] = "gcsflux.state";

/// A tensor in a value. Its name joins the keys that lead to it with '.'.
struct NamedLayout {
  std::string name = {};
  const TensorLayout* layout = nullptr;
};

/// The tensors in dictionaries and lists, in the value's order. They are within `value`.
std::vector<NamedLayout> NamedLayouts(const pickled::Value& value);

/// The value with its tensors as NamedLayouts() names them. kInvalidArgument for values that have no form here: the
/// message names one. An OrderedDict becomes a dict, and loses its attributes.
Result<std::string> FormatState(const pickled::Value& value);

/// Any value in this form, for StoredCheckpoint::ReadValue(); `name` is its own. What FormatState() refuses appears as
/// docs/checkpoint_formats.md says.
std::string ValueAsJson(const pickled::Value& value, std::string_view name);

/// Gives the layout of a tensor by its name.
using FindLayout = std::function<Result<TensorLayout>(const std::string& name)>;

/// Reads what FormatState() wrote. kUndecodable, which names `file`: no such JSON, or more than 16 MiB of it; and what
/// `find` returns.
Result<pickled::Value> ParseState(std::string_view json, const std::string& file, const FindLayout& find);

/// The value within `root` that these keys lead to, joined by '.'; "" is `root`. Null if there is none.
const pickled::Value* FindByName(const pickled::Value& root, std::string_view name);

}  // namespace gcsflux::internal
