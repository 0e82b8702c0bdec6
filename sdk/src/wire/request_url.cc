#include "wire/request_url.h"

#include <utility>

#include "base/text/percent_encoding.h"

namespace gcsflux::internal {

RequestUrl RequestUrl::OfBucket(std::string_view endpoint, std::string_view bucket) {
  return RequestUrl(endpoint, "/storage/v1/b").Segment(bucket);
}

RequestUrl RequestUrl::OfObject(std::string_view endpoint, const ObjectName& object) {
  return OfBucket(endpoint, object.bucket).Literal("/o").Segment(object.name);
}

RequestUrl&& RequestUrl::Segment(std::string_view raw) && {
  text_ += '/';
  AppendPercentEncoded(text_, raw);
  return std::move(*this);
}

RequestUrl&& RequestUrl::Literal(std::string_view path) && {
  text_ += path;
  return std::move(*this);
}

RequestUrl&& RequestUrl::Query(std::string_view name, std::string_view value) && {
  if (value.empty()) return std::move(*this);
  text_ += has_query_ ? '&' : '?';
  has_query_ = true;
  text_ += name;
  text_ += '=';
  AppendPercentEncoded(text_, value);
  return std::move(*this);
}

RequestUrl&& RequestUrl::Query(std::string_view name, std::optional<std::int64_t> value) && {
  return std::move(*this).Query(name, value ? std::to_string(*value) : std::string());
}

RequestUrl&& RequestUrl::Query(std::string_view name, const std::vector<std::string>& values) && {
  for (const std::string& value : values) static_cast<void>(std::move(*this).Query(name, value));
  return std::move(*this);
}

RequestUrl&& RequestUrl::Query(const Preconditions& preconditions) && {
  return std::move(*this)
      .Query("ifGenerationMatch", preconditions.if_generation_match)
      .Query("ifGenerationNotMatch", preconditions.if_generation_not_match)
      .Query("ifMetagenerationMatch", preconditions.if_metageneration_match)
      .Query("ifMetagenerationNotMatch", preconditions.if_metageneration_not_match);
}

RequestUrl&& RequestUrl::Query(const CallOptions& call) && {
  return std::move(*this).Query("userProject", call.user_project);
}

}  // namespace gcsflux::internal
