#pragma once

#include "store/buckets/multipart_uploads.h"
#include "xml_api/xml_call.h"
#include "xml_api/xml_listing.h"

namespace gcsflux::emulator {

/// The parts above number `after`.
HttpResponse RenderPartPage(const XmlCall& call, const MultipartUpload& upload, int after, std::size_t max_parts);

HttpResponse RenderUploadPage(const XmlCall& call, const UploadQuery& query, const UploadPage& page,
                              const ListingText& text);

}  // namespace gcsflux::emulator
