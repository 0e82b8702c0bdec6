#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/multipart_upload.h"
#include "gcsflux/ongoing_uploads.h"
#include "http/transport.h"
#include "wire/multipart_requests.h"

// The answers to the requests of an XML multipart upload of `asked`. What cannot be read, or names another object, is
// kBadResponse.
namespace gcsflux::internal {

/// The id out of the answer to an initiate request.
Result<std::string> ParseUploadId(std::string_view xml, const ObjectName& asked);

struct PartsPage {
  std::vector<ListedPart> parts = {};
  std::optional<int> next = {};  ///< The number behind which the next page begins.
};
Result<PartsPage> ParsePartsPage(std::string_view xml, const ObjectName& asked);

struct UploadsPage {
  std::vector<OngoingUpload> uploads = {};
  std::optional<UploadsMarker> next = {};  ///< Where the next page begins.
};
/// Of a list of the bucket's uploads.
Result<UploadsPage> ParseUploadsPage(std::string_view xml, const std::string& bucket);

/// The generation that a complete request has made; 0 where the answer does not say. An error may come with status 200
/// too, since the service begins to answer before it is done: it is that error.
Result<std::int64_t> ParseCompleted(const HttpResponse& response, const ObjectName& asked);

}  // namespace gcsflux::internal
