#include "http/xml_writer.h"

#include <cstddef>
#include <utility>

namespace gcsflux::emulator {
namespace {

// XML 1.0 has no form for these characters, but names of objects may contain them. Clients that list such names ask for
// encoding-type=url. It is not documented what the service writes for them (unverified).
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// U+FFFE and U+FFFF, in UTF-8.
bool IsNoncharacter(std::string_view text, std::size_t at) {
  return text.substr(at, 2) == "\xEF\xBF" && at + 2 < text.size() && (text[at + 2] == '\xBE' || text[at + 2] == '\xBF');
}

void AppendControl(std::string& out, char c) {
  // A parser would turn a bare CR into LF.
  if (c == '\t' || c == '\n' || c == '\r') {
    out += "&#" + std::to_string(static_cast<int>(c)) + ";";
  } else {
    out += kReplacement;
  }
}

void AppendEscaped(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          AppendControl(out, c);
        } else if (c == '\xEF' && IsNoncharacter(text, i)) {
          out += kReplacement;
          i += 2;
        } else {
          out += c;
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

void XmlWriter::Begin(std::string_view name, std::string_view xmlns) { Begin(name, {{"xmlns", xmlns}}); }

void XmlWriter::Begin(std::string_view name,
                      std::initializer_list<std::pair<std::string_view, std::string_view>> attributes) {
  xml_ += '<';
  xml_ += name;
  for (const auto& [attribute, value] : attributes) {
    xml_ += ' ';
    xml_ += attribute;
    xml_ += "='";
    AppendEscaped(xml_, value);
    xml_ += '\'';
  }
  xml_ += '>';
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
