#include "server/xml/xml_writer.h"

#include <utility>

namespace gcsflux::emulator {
namespace {

void AppendEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          out += c;
        } else {
          // A parser would turn a bare CR into LF. XML 1.0 has no form for most others, which names of objects may
          // hold: clients that list such names ask for encoding-type=url.
          out += "&#" + std::to_string(static_cast<int>(c)) + ";";
        }
    }
  }
}

}  // namespace

void XmlWriter::Begin(std::string_view name) {
  xml_ += '<';
  xml_ += name;
  xml_ += '>';
}

void XmlWriter::Begin(std::string_view name, std::string_view xmlns) {
  xml_ += '<';
  xml_ += name;
  xml_ += " xmlns='";
  AppendEscaped(xml_, xmlns);
  xml_ += "'>";
}

void XmlWriter::End(std::string_view name) {
  xml_ += "</";
  xml_ += name;
  xml_ += '>';
}

void XmlWriter::Text(std::string_view text) { AppendEscaped(xml_, text); }

void XmlWriter::Element(std::string_view name, std::string_view text) {
  Begin(name);
  Text(text);
  End(name);
}

HttpResponse XmlResponse(XmlWriter xml) {
  HttpResponse response;
  response.headers.Add("Content-Type", "application/xml; charset=UTF-8");
  response.headers.Add("Cache-Control", "private, max-age=0");
  response.body = xml.Take();
  return response;
}

}  // namespace gcsflux::emulator
