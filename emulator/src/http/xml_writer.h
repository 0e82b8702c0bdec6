#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "http/http_message.h"

namespace gcsflux::emulator {

/// Appends XML to one string. Answers list thousands of objects, so no tree is built. Texts must be UTF-8.
class XmlWriter {
 public:
  XmlWriter() : xml_("<?xml version='1.0' encoding='UTF-8'?>") {}

  void Begin(std::string_view name);
  void Begin(std::string_view name, std::string_view xmlns);
  /// With attributes: names and values.
  void Begin(std::string_view name, std::initializer_list<std::pair<std::string_view, std::string_view>> attributes);
  void End(std::string_view name);
  void Text(std::string_view text);
  void Element(std::string_view name, std::string_view text);

  [[nodiscard]] std::string Take() { return std::move(xml_); }

 private:
  std::string xml_;
};

/// The namespaces that GCS took over from S3: one for listings and copies, another for multipart uploads.
inline constexpr std::string_view kListingXmlns = "http://doc.s3.amazonaws.com/2006-03-01";
inline constexpr std::string_view kMultipartXmlns = "http://s3.amazonaws.com/doc/2006-03-01/";

HttpResponse XmlResponse(XmlWriter xml);

}  // namespace gcsflux::emulator
