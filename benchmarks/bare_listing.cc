#include "bare_listing.h"

#include <simdjson.h>

#include <charconv>
#include <stdexcept>
#include <utility>

namespace gcsflux::bench {
namespace {

template <class Number>
void Read(std::string_view text, Number& number) {
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) {
    throw std::runtime_error("no number");
  }
}

}  // namespace

BarePage ParseBarePage(std::string& json) {
  json.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  thread_local simdjson::dom::parser parser;  // Fresh pages would cost more than the parsing.
  const simdjson::dom::object document = parser.parse(json.data(), json.size(), false);
  BarePage page;
  for (const auto& [member, value] : document) {
    if (member == "nextPageToken") page.next_page_token = std::string_view(value);
    if (member != "items") continue;
    const simdjson::dom::array items = value;
    page.objects.reserve(items.size());
    for (const simdjson::dom::object item : items) {
      BareObject& object = page.objects.emplace_back();
      for (const auto& [key, text] : item) {
        if (key == "name") object.name = std::string_view(text);
        if (key == "size") Read(text, object.size);
        if (key == "generation") Read(text, object.generation);
        if (key == "crc32c") object.crc32c = std::string_view(text);
      }
    }
  }
  return page;
}

std::string BarePageTarget(const BarePageQuery& query, std::string_view page_token) {
  std::string target = "/storage/v1/b/";
  target.append(query.bucket).append("/o?maxResults=5000&projection=noAcl");
  target += "&fields=nextPageToken,prefixes,items(name,generation,size,crc32c,storageClass,updated)";
  for (const auto& [name, value] : {std::pair("&startOffset=", query.start_offset),
                                    std::pair("&endOffset=", query.end_offset), std::pair("&pageToken=", page_token)}) {
    if (!value.empty()) target.append(name).append(value);
  }
  return target;
}

}  // namespace gcsflux::bench
