#include "network/answer_head.h"

#include <string_view>
#include <variant>

#include "http/json_error.h"
#include "http/reason_phrase.h"

namespace gcsflux::emulator {

std::string RenderHead(const HttpResponse& response, std::optional<std::uint64_t> size) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head.append(ReasonPhrase(response.status)).append("\r\n");
  for (const auto& [name, value] : response.headers.fields()) {
    head.append(name).append(": ").append(value).append("\r\n");
  }
  if (size) head.append("Content-Length: ").append(std::to_string(*size)).append("\r\n");
  return head += "\r\n";
}

std::string RenderRefusal(const ApiError& error) {
  HttpResponse response = ErrorResponse(error);
  response.headers.Add("Connection", "close");
  const auto& body = std::get<std::string>(response.body);
  return RenderHead(response, body.size()) + body;
}

}  // namespace gcsflux::emulator
