#include "json_api/masked_json.h"

#include <nlohmann/json.hpp>

namespace gcsflux::emulator {

using OrderedJson = nlohmann::ordered_json;

OrderedJson Masked(const OrderedJson& value, const FieldMask& fields) {
  if (value.is_array()) {
    OrderedJson kept = OrderedJson::array();
    for (const OrderedJson& element : value) kept.push_back(Masked(element, fields));
    return kept;
  }
  if (!value.is_object()) return value;
  OrderedJson kept = OrderedJson::object();
  for (const auto& [name, member] : value.items()) {
    if (fields.Includes(name)) kept[name] = Masked(member, fields.Inside(name));
  }
  return kept;
}

HttpResponse MaskedResponse(const ApiCall& call, const OrderedJson& resource) {
  return JsonResponse(Masked(resource, call.fields).dump());
}

}  // namespace gcsflux::emulator
