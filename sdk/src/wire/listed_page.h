#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/mutex.h"
#include "gcsflux/object.h"
#include "gcsflux/operation_options.h"
#include "http/transport.h"

namespace gcsflux::internal {

/// A page of a listing of many objects. Only the members of ListedObject are requested and read.
struct ListedPage {
  std::vector<ListedObject> objects = {};
  std::vector<std::string> prefixes = {};
  std::string next_page_token = {};
};

/// Ignores ListOptions::fields.
HttpRequest ListedPageRequest(std::string_view endpoint, const ObjectName& prefix, const ListOptions& options);

/// Parses pages, in 0.1 us for each object, a sixteenth of the time of ParseObjectPage. Thread-safe. It keeps as many
/// parsers as there were calls at the same time, with about 2 MiB each, because new memory for each page takes as long
/// as the parsing.
class ListedPageParser {
 public:
  ListedPageParser();
  ~ListedPageParser();

  /// An empty text in the memory of a page that was parsed, if there is one. For the next page: in new memory, each
  /// 4 KiB of a page cost a page fault, which takes as long as the parsing of 10 objects.
  std::string TakeText();

  /// Returns kBadResponse, with at most 256 bytes of the text, if it is not a page.
  Result<ListedPage> Parse(std::string json);

 private:
  struct Parser;
  std::unique_ptr<Parser> Take();
  void Return(std::unique_ptr<Parser> parser, std::string text);

  Mutex mutex_;
  std::vector<std::unique_ptr<Parser>> idle_ GUARDED_BY(mutex_);
  std::vector<std::string> texts_ GUARDED_BY(mutex_);  // Cleared.
};

}  // namespace gcsflux::internal
