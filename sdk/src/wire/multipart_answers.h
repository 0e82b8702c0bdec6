#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/transport.h"
#include "wire/multipart_requests.h"

// Parses the answers to the requests of an XML multipart upload of `asked`. If an answer cannot be read, or names
// another object, the result is kBadResponse.
namespace gcsflux::internal {

/// The id in the answer to an initiate request.
Result<std::string> ParseUploadId(std::string_view xml, const ObjectName& asked);

struct PartsPage {
  std::vector<ListedPart> parts = {};
  std::optional<int> next = {};  ///< The next page begins behind this number.
};
Result<PartsPage> ParsePartsPage(std::string_view xml, const ObjectName& asked);

struct UploadsPage {
  std::vector<OngoingUpload> uploads = {};
  std::optional<UploadsMarker> next = {};  ///< The start of the next page.
};
/// Parses a list of the bucket's uploads.
Result<UploadsPage> ParseUploadsPage(std::string_view xml, const std::string& bucket);

/// The generation that a complete request has made; 0 if the answer does not tell. An error can come with status 200
/// too, because the service begins its answer before it has finished; then that error is returned.
Result<std::int64_t> ParseCompleted(const HttpResponse& response, const ObjectName& asked);

}  // namespace gcsflux::internal
