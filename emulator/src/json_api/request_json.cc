#include "json_api/request_json.h"

#include <string>

#include "bodies/receive_body.h"
#include "http/json_error.h"
#include "json/bounded_json.h"
#include "json/json_shape.h"

namespace gcsflux::emulator {

ApiResult<nlohmann::json> ReceiveJsonObject(RequestBody& body, const nlohmann::json& shape) {
  const ApiResult<std::string> text = ReceiveText(body);
  if (!text) return tl::unexpected(text.error());
  const nlohmann::json parsed = ParseBoundedJson(*text);
  if (!parsed.is_object()) return tl::unexpected(NotJsonObject(*text));
  nlohmann::json without_nulls = nlohmann::json::object();
  without_nulls.merge_patch(parsed);
  if (const auto misfit = FindMisfit(without_nulls, shape)) return tl::unexpected(InvalidField(*misfit));
  return without_nulls;
}

}  // namespace gcsflux::emulator
