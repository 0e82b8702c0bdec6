#include "shards/sample_keys.h"

#include <functional>
#include <utility>

#include "base/text/lower_case.h"
#include "base/text/utf8.h"
#include "formats/bytes/format_error.h"

namespace gcsflux::internal {
namespace {

Error Refused(const char* why) { return {ErrorCode::kUndecodable, why}; }

bool Climbs(std::string_view name) {
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return true;
    begin = end + 1;
  }
  return false;
}

bool IsMeta(std::string_view name) {
  const std::string_view first = name.substr(0, name.find('/'));
  return first.size() >= 4 && first.starts_with("__") && first.ends_with("__");
}

}  // namespace

Result<std::optional<SampleName>> SampleNameOf(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  if (name.find('\0') != std::string_view::npos || !IsUtf8(name)) return Refused("its name is not UTF-8 text");
  if (name.starts_with('/')) return Refused("its name is absolute");
  if (Climbs(name)) return Refused("its name has '..'");
  if (IsMeta(name)) return std::optional<SampleName>();
  const std::size_t slash = name.rfind('/');
  const std::size_t base = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = name.find('.', base);
  if (dot == std::string_view::npos || dot + 1 == name.size()) {
    return Refused("its name has no extension, which would tell what it is of its sample");
  }
  if (dot == base) return Refused("its name begins with a dot, so that no sample's key is before it");
  return std::optional(SampleName{std::string(name.substr(0, dot)), LowerCase(name.substr(dot + 1))});
}

Error SampleKeys::Refuse(const TarMember& member, const std::string& why) const {
  return {ErrorCode::kUndecodable,
          shard_ + ": member " + Shown(member.name) + ", byte " + std::to_string(member.begin) + ": " + why};
}

Result<std::optional<SampleKeys::Placed>> SampleKeys::Add(const TarMember& member) {
  auto name = SampleNameOf(member.name);
  if (!name) return Refuse(member, name.error().message);
  if (!*name) return std::optional<Placed>();
  const bool begins = (*name)->key != key_;
  if (begins) {
    if (!seen_.insert(std::hash<std::string>()((*name)->key)).second) {
      return Refuse(member, "other samples are between this member and those before it of the same sample");
    }
    key_ = std::move((*name)->key);
    extensions_.clear();
  }
  if (!extensions_.insert((*name)->extension).second) return Refuse(member, "the sample has a member of this name");
  return std::optional(Placed{std::move((*name)->extension), begins});
}

}  // namespace gcsflux::internal
