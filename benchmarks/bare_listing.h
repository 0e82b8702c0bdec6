#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::bench {

/// The baseline of listings: parses a page of the JSON API by the simplest use of the fastest parser, into the fields
/// that reading an object needs.
struct BareObject {
  std::string name = {};
  std::uint64_t size = 0;
  std::int64_t generation = 0;
  std::string crc32c = {};  ///< As the page shows it.
};

struct BarePage {
  std::vector<BareObject> objects = {};
  std::string next_page_token = {};
};

/// Throws std::runtime_error if it is not a page. May increase the capacity of `json`.
BarePage ParseBarePage(std::string& json);

/// Path and query of a page of 5000 with the fields that ListInParallel requests. Bucket and offsets are not encoded;
/// empty offsets are omitted.
struct BarePageQuery {
  std::string_view bucket = {};
  std::string_view start_offset = {};
  std::string_view end_offset = {};
};
std::string BarePageTarget(const BarePageQuery& query, std::string_view page_token);

/// Requests page after page by `get(target, json)`, which replaces `json` by the page's JSON, and parses each. Returns
/// the number of objects.
template <class Get>
std::uint64_t ListBarely(const BarePageQuery& query, Get&& get) {
  std::uint64_t objects = 0;
  std::string token;
  std::string json;
  do {
    get(BarePageTarget(query, token), json);
    BarePage page = ParseBarePage(json);
    objects += page.objects.size();
    token = std::move(page.next_page_token);
  } while (!token.empty());
  return objects;
}

}  // namespace gcsflux::bench
