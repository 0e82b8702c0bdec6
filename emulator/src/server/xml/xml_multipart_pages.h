#pragma once

#include "server/xml/xml_call.h"
#include "server/xml/xml_listing.h"
#include "store/multipart_uploads.h"

namespace gcsflux::emulator {

/// The parts above number `after`.
HttpResponse RenderPartPage(const XmlCall& call, const MultipartUpload& upload, int after, std::size_t max_parts);

HttpResponse RenderUploadPage(const XmlCall& call, const UploadQuery& query, const UploadPage& page,
                              const ListingText& text);

}  // namespace gcsflux::emulator
