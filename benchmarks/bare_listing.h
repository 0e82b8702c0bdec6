#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcsflux::bench {

/// The baseline of listings: a page of the JSON API parsed as plainly as the fastest parser can be used, into what is
/// needed to read an object.
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

/// Throws std::runtime_error where it is no page. May give `json` more capacity.
BarePage ParseBarePage(std::string& json);

/// Path and query of a page of 5000, with the fields that ListInParallel asks for. A bucket's name and offsets are
/// put there as they are; empty ones are left out.
struct BarePageQuery {
  std::string_view bucket = {};
  std::string_view start_offset = {};
  std::string_view end_offset = {};
};
std::string BarePageTarget(const BarePageQuery& query, std::string_view page_token);

/// Asks for page after page by `get(target, json)`, which replaces what is in the string by the page's JSON, and parses
/// each. Returns how many objects there were.
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
