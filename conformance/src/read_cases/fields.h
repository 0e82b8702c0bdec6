#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "case/case.h"

namespace gcsflux::conformance {

/// The first thing that is wrong with a case file. Later ones are often its consequences, so they are dropped.
class Problem {
 public:
  void Note(const std::string& where, std::string_view what);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// One JSON object of a case file. Gives out its fields by name, notes missing fields and wrong types, and refuses
/// fields that were not asked for, so a misspelt `want` is noticed.
///
/// `object` and `problem` must outlive it. A wrong value is returned as an empty one, so callers need not check.
class Fields {
 public:
  /// `path` is the place of `object` in the file, such as `case "X": steps[2].want`.
  Fields(const Json& object, std::string path, Problem& problem);

  /// The field as it is, or null. Asking makes it known.
  const Json* Find(const std::string& key);
  bool Has(const std::string& key) { return Find(key) != nullptr; }

  std::string RequiredText(const std::string& key);  ///< Must not be empty either.
  std::string Text(const std::string& key, std::string fallback = {});
  bool Bool(const std::string& key, bool fallback);
  std::uint64_t Number(const std::string& key, std::uint64_t fallback);
  std::vector<std::string> Texts(const std::string& key);

  /// Must be called last.
  void RefuseOthers();

  void Note(const std::string& key, std::string_view what) { problem_.Note(PathOf(key), what); }
  [[nodiscard]] std::string PathOf(const std::string& key) const;

 private:
  const Json empty_ = Json::object();
  const Json& object_;
  const std::string path_;
  Problem& problem_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace gcsflux::conformance
