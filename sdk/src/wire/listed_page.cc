#include "wire/listed_page.h"

#include <simdjson.h>

#include <charconv>
#include <cstring>
#include <utility>

#include "base/text/base64.h"
#include "base/text/rfc3339.h"
#include "wire/bounded_json.h"
#include "wire/metadata_json.h"
#include "wire/object_requests.h"

namespace gcsflux::internal {
namespace {

using Element = simdjson::dom::element;

// Why it is not a page. Null if it is one.
using Why = const char*;

template <class Number>
bool ReadNumber(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

// Those of the previous object, and usually of this one: the table of all names is shared by threads.
struct LastNames {
  InternedName storage_class = {};
  InternedName kms_key = {};
};

InternedName Interned(std::string_view text, InternedName& last) {
  if (!(last == text)) last = InternedName(text);
  return last;
}

// As ==, for a literal. A page has tens of thousands of keys, and the compiler compares these without a call.
template <std::size_t kSize>
bool Is(std::string_view key, const char (&literal)[kSize]) {
  return key.size() == kSize - 1 && std::memcmp(key.data(), literal, kSize - 1) == 0;
}

Why ReadMember(std::string_view key, std::string_view text, ListedObject& object, LastNames& last) {
  if (Is(key, "name")) {
    object.name = std::string(text);
  } else if (Is(key, "size")) {
    if (!ReadNumber(text, object.size)) return "size is not a number";
  } else if (Is(key, "generation")) {
    if (!ReadNumber(text, object.generation)) return "generation is not a number";
  } else if (Is(key, "crc32c")) {
    object.crc32c = Crc32cFromBase64(text);
    if (!object.crc32c) return "crc32c is not base64 of four bytes";
  } else if (Is(key, "storageClass")) {
    object.storage_class = Interned(text, last.storage_class);
  } else if (Is(key, "updated")) {
    const auto time = ParseRfc3339(text);
    if (!time) return "updated is not a time";
    object.updated = *time;
  } else if (Is(key, "kmsKeyName")) {
    object.kms_key_name = Interned(text, last.kms_key);
  }
  return nullptr;
}

bool IsAsked(std::string_view key) {
  return Is(key, "name") || Is(key, "size") || Is(key, "generation") || Is(key, "crc32c") || Is(key, "storageClass") ||
         Is(key, "updated") || Is(key, "kmsKeyName");
}

Why ReadObject(const Element& item, ListedObject& object, LastNames& last) {
  simdjson::dom::object members;
  if (item.get(members) != simdjson::SUCCESS) return "an item is not an object";
  bool has_size = false;
  for (const auto& [key, value] : members) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) {
      if (IsAsked(key)) return "a field of the wrong type";
      continue;
    }
    if (const Why why = ReadMember(key, text, object, last)) return why;
    has_size = has_size || Is(key, "size");
  }
  if (!has_size && !MayBeEmpty(object.crc32c)) return "an object has no size";
  if (IsFalselyEmpty(has_size, object.size, object.crc32c)) return kFalselyEmpty;
  return object.name.empty() || object.generation <= 0 ? "an object has no name or no generation" : nullptr;
}

Why ReadItems(const Element& items, std::vector<ListedObject>& objects) {
  simdjson::dom::array array;
  if (items.get(array) != simdjson::SUCCESS) return "items is not an array";
  objects.clear();  // If JSON has a key twice, the last one counts.
  objects.reserve(array.size());
  LastNames last;
  for (const Element item : array) {
    if (const Why why = ReadObject(item, objects.emplace_back(), last)) return why;
  }
  return nullptr;
}

Why ReadPrefixes(const Element& prefixes, std::vector<std::string>& names) {
  simdjson::dom::array array;
  if (prefixes.get(array) != simdjson::SUCCESS) return "prefixes is not an array";
  names.clear();
  for (const Element prefix : array) {
    std::string_view name;
    if (prefix.get(name) != simdjson::SUCCESS) return "a prefix is not a string";
    names.emplace_back(name);
  }
  return nullptr;
}

Why ReadPage(const simdjson::dom::object& document, ListedPage& page) {
  for (const auto& [key, value] : document) {
    Why why = nullptr;
    if (key == "items") {
      why = ReadItems(value, page.objects);
    } else if (key == "prefixes") {
      why = ReadPrefixes(value, page.prefixes);
    } else if (key == "nextPageToken") {
      std::string_view token;
      if (value.get(token) != simdjson::SUCCESS) return "nextPageToken is not a string";
      page.next_page_token = token;
    }
    if (why != nullptr) return why;
  }
  return nullptr;
}

// A parser takes memory for each value. Objects have longer ones, also where a server gives all of a bucket in one
// page.
bool IsTooMuch(const std::string& json) {
  constexpr std::size_t kLong = 8U << 20;
  constexpr std::size_t kLeastBytesOfValue = 16;
  return json.size() > kLong && !IsBounded(json, json.size() / kLeastBytesOfValue);
}

}  // namespace

HttpRequest ListedPageRequest(std::string_view endpoint, const ObjectName& prefix, const ListOptions& options) {
  // In a '/' listing only names are used. The parser rejects an object without a size, unless its checksum is that of
  // no bytes: some servers leave out a size of 0.
  return ListObjectsRequest(endpoint, prefix, options,
                            options.delimiter.empty() ? "name,generation,size,crc32c,storageClass,updated,kmsKeyName"
                                                      : "name,generation,size,crc32c");
}

struct ListedPageParser::Parser {
  simdjson::dom::parser parser;
};

ListedPageParser::ListedPageParser() = default;
ListedPageParser::~ListedPageParser() = default;

Result<ListedPage> ListedPageParser::Parse(std::string json) {
  if (IsTooMuch(json)) return NotTheServicesJson("more than a page holds", json);
  json.reserve(json.size() + simdjson::SIMDJSON_PADDING);  // the parser reads past the end
  auto parser = Take();
  Element document;
  simdjson::dom::object members;
  ListedPage page;
  Why why = "no JSON object";
  if (parser->parser.parse(json.data(), json.size(), /*realloc_if_needed=*/false).get(document) == simdjson::SUCCESS &&
      document.get(members) == simdjson::SUCCESS) {
    why = ReadPage(members, page);
  }
  if (why != nullptr) return NotTheServicesJson(why, json);
  Return(std::move(parser), std::move(json));
  return page;
}

std::string ListedPageParser::TakeText() {
  const MutexLock lock(mutex_);
  if (texts_.empty()) return {};
  std::string text = std::move(texts_.back());
  texts_.pop_back();
  return text;
}

void ListedPageParser::Return(std::unique_ptr<Parser> parser, std::string text) {
  text.clear();
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(parser));
  texts_.push_back(std::move(text));
}

// The parser that was returned last, because its memory is in the caches.
std::unique_ptr<ListedPageParser::Parser> ListedPageParser::Take() {
  const MutexLock lock(mutex_);
  if (idle_.empty()) return std::make_unique<Parser>();
  auto parser = std::move(idle_.back());
  idle_.pop_back();
  return parser;
}

}  // namespace gcsflux::internal
