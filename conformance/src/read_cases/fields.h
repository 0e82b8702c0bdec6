#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "case/case.h"

namespace gcsflux::conformance {

/// The first thing that is wrong with a case file; later ones are often its consequences and are dropped.
class Problem {
 public:
  void Note(const std::string& where, std::string_view what);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// One JSON object of a case file. Hands out its fields by name, notes what is missing or of the wrong type, and
/// refuses fields that nobody asked for, so that a misspelt `want` cannot pass unnoticed.
///
/// Borrows `object` and `problem`. What is wrong comes back as an empty value, so callers need not check.
class Fields {
 public:
  /// `path` is the place of `object` in the file, such as `case "X": steps[2].want`.
  Fields(const Json& object, std::string path, Problem& problem);

  /// The field as it is, or null; asking makes it known.
  const Json* Find(const std::string& key);
  bool Has(const std::string& key) { return Find(key) != nullptr; }

  std::string RequiredText(const std::string& key);  ///< Also not empty.
  std::string Text(const std::string& key, std::string fallback = {});
  bool Bool(const std::string& key, bool fallback);
  std::uint64_t Number(const std::string& key, std::uint64_t fallback);
  std::vector<std::string> Texts(const std::string& key);

  /// To be called last.
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
