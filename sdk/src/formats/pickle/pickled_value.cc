#include "formats/pickle/pickled_value.h"

#include <algorithm>

namespace gcsflux::pickled {
namespace {

bool Same(std::monostate, std::monostate) { return true; }
template <class Plain>
bool Same(const Plain& a, const Plain& b) {
  return a == b;
}
bool Same(const LongInteger& a, const LongInteger& b) { return a.bytes == b.bytes; }
bool Same(const Bytes& a, const Bytes& b) { return a.data == b.data && a.is_mutable == b.is_mutable; }
bool Same(const List& a, const List& b) { return a.items == b.items; }
bool Same(const Tuple& a, const Tuple& b) { return a.items == b.items; }
bool Same(const Set& a, const Set& b) { return a.items == b.items && a.is_frozen == b.is_frozen; }
bool Same(const Dict& a, const Dict& b) {
  return a.kind == b.kind && a.class_name == b.class_name && a.entries == b.entries && a.attributes == b.attributes;
}
bool Same(const Size& a, const Size& b) { return a.sizes == b.sizes; }
bool Same(const Device& a, const Device& b) { return a.type == b.type && a.index == b.index; }
bool Same(const Storage& a, const Storage& b) { return a.storage == b.storage && a.dtype == b.dtype; }
bool Same(const NumericArray& a, const NumericArray& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.is_fortran == b.is_fortran && a.data == b.data;
}
bool Same(const Refused&, const Refused&) { return false; }

}  // namespace

bool operator==(const Value& a, const Value& b) {
  if (a.any.index() != b.any.index()) return false;
  return std::visit(
      [&](const auto& value) {
        using Held = std::decay_t<decltype(value)>;
        return Same(value, *b.As<Held>());
      },
      a.any);
}

const Value* Find(const Dict& dict, std::string_view key) {
  const auto found = std::find_if(dict.entries.rbegin(), dict.entries.rend(), [&](const auto& entry) {
    const auto* const text = entry.first.template As<std::string>();
    return text != nullptr && *text == key;
  });
  return found == dict.entries.rend() ? nullptr : &found->second;
}

}  // namespace gcsflux::pickled
