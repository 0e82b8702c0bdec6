#include "json_api/standard_parameters.h"

#include <string>
#include <utility>

#include "json_api/known_fields.h"

namespace gcsflux::emulator {

ApiResult<StandardParameters> ReadStandardParameters(Answer answer, const QueryParameters& query) {
  StandardParameters parameters;
  if (const std::string mask = query.Value("fields"); !mask.empty()) {
    ApiResult<FieldMask> fields = FieldMask::Parse(mask);
    if (!fields) return tl::unexpected(fields.error());
    if (!fields->IsWithin(KnownFields(answer))) {
      return tl::unexpected(BadParameter("Invalid field selection " + mask));
    }
    parameters.fields = *std::move(fields);
  }
  const std::string projection = query.Value("projection");
  if (!projection.empty() && projection != "full" && projection != "noAcl") {
    return tl::unexpected(BadParameter("Invalid value '" + projection + "' for projection."));
  }
  parameters.shows_acl = projection == "full";
  const std::string alt = query.Value("alt");
  if (!alt.empty() && alt != "json" && alt != "media") {
    return tl::unexpected(ApiError{400, "invalidAltValue", "Invalid value '" + alt + "' for alt."});
  }
  return parameters;
}

}  // namespace gcsflux::emulator
