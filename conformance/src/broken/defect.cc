#include "broken/defect.h"

#include <fnmatch.h>
#include <strings.h>

#include <algorithm>

#include "case/operation_of.h"
#include "case/parse_answer.h"

namespace gcsflux::conformance {
namespace {

bool Matches(const std::string& glob, const std::string& text) {
  return fnmatch(glob.c_str(), text.c_str(), FNM_CASEFOLD) == 0;
}

struct Target {
  std::string path;
  std::vector<std::string> parameters = {};  ///< "name=value"
};

Target Parse(const std::string& text) {
  const std::size_t mark = std::min(text.find('?'), text.size());
  Target target{.path = text.substr(0, mark)};
  for (std::size_t at = mark; at < text.size();) {
    const std::size_t end = std::min(text.find('&', at + 1), text.size());
    target.parameters.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return target;
}

std::string Text(const Target& target) {
  std::string text = target.path;
  for (const std::string& each : target.parameters) text += (text.size() == target.path.size() ? "?" : "&") + each;
  return text;
}

std::string NameOf(const std::string& parameter) { return parameter.substr(0, parameter.find('=')); }

std::optional<std::string> FindParameter(const Target& target, const std::string& name) {
  for (const std::string& each : target.parameters) {
    if (NameOf(each) != name) continue;
    const std::size_t equals = each.find('=');
    return equals == each.npos ? "" : each.substr(equals + 1);
  }
  return std::nullopt;
}

bool IsAsWanted(const std::optional<std::string>& wanted, const std::optional<std::string>& got) {
  if (!wanted || !got) return wanted.has_value() == got.has_value();
  return Matches(*wanted, *got);
}

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void CutAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at)) {
    const std::size_t end = text.find(to, at + from.size());
    if (end == text.npos) return;
    text.erase(at, end + to.size() - at);
  }
}

void DropHeaders(Headers& headers, const std::vector<std::string>& names) {
  std::erase_if(headers, [&names](const auto& header) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return Matches(name, header.first); });
  });
}

/// Calls `change` for each parent of the pointer's last key, and that key.
template <class Change>
void ForEachParent(Json& value, const std::string& pointer, const Change& change) {
  const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
  const std::string key = pointer.substr(1, end - 1);
  const std::string rest = pointer.substr(end);
  if (rest.empty()) return change(value, key);
  if (key == "*" && value.is_array()) {
    for (Json& element : value) ForEachParent(element, rest, change);
  } else if (value.is_object() && value.contains(key)) {
    ForEachParent(value[key], rest, change);
  }
}

Json* FindList(Json& body, const std::string& pointer) {
  if (pointer.empty() || !body.is_object()) return nullptr;
  const Json::json_pointer place(pointer);
  if (!body.contains(place) || !body[place].is_array() || body[place].empty()) return nullptr;
  return &body[place];
}

void ChangeJson(std::string& text, const AnswerDefect& defect) {
  Json body = ParseAnswer(text);
  if (!body.is_structured()) return;
  const Json before = body;
  for (const std::string& pointer : defect.drop_json) {
    ForEachParent(body, pointer, [](Json& parent, const std::string& key) {
      if (parent.is_object()) parent.erase(key);
    });
  }
  for (const auto& [pointer, value] : defect.set_json) {
    ForEachParent(body, pointer, [&wanted = value](Json& parent, const std::string& key) {
      if (parent.is_object()) parent[key] = wanted;
    });
  }
  if (Json* list = FindList(body, defect.reverse)) std::reverse(list->begin(), list->end());
  if (Json* list = FindList(body, defect.drop_last)) list->erase(list->size() - 1);
  if (body != before) text = body.dump();
}

}  // namespace

bool IsAbout(const DefectMatch& match, const Request& request) {
  const std::string operation = OperationOf(request.method, request.target);
  const bool is_operation = std::any_of(match.operations.begin(), match.operations.end(),
                                        [&](const std::string& glob) { return Matches(glob, operation); });
  if (!is_operation) return false;
  const Target target = Parse(request.target);
  for (const auto& [name, wanted] : match.query) {
    if (!IsAsWanted(wanted, FindParameter(target, name))) return false;
  }
  for (const auto& [name, wanted] : match.headers) {
    if (!IsAsWanted(wanted, FindHeader(request.headers, name))) return false;
  }
  return true;
}

bool IsAboutStatus(const DefectMatch& match, int status) {
  return match.status.empty() || std::find(match.status.begin(), match.status.end(), status) != match.status.end();
}

Request Changed(Request request, const RequestDefect& defect) {
  Target target = Parse(request.target);
  std::erase_if(target.parameters, [&](const std::string& each) {
    const auto is_it = [name = NameOf(each)](const std::string& glob) { return Matches(glob, name); };
    return std::any_of(defect.drop_query.begin(), defect.drop_query.end(), is_it);
  });
  for (const auto& [name, value] : defect.set_query) {
    std::erase_if(target.parameters, [&wanted = name](const std::string& each) { return NameOf(each) == wanted; });
    target.parameters.push_back(name + "=" + value);
  }
  request.target = Text(target);
  DropHeaders(request.headers, defect.drop_headers);
  for (const auto& [from, to] : defect.replace) {
    if (request.body) ReplaceAll(*request.body, from, to);
  }
  return request;
}

Response Changed(Response response, const AnswerDefect& defect) {
  if (defect.status) response.status = *defect.status;
  DropHeaders(response.headers, defect.drop_headers);
  for (const auto& [name, value] : defect.set_headers) {
    DropHeaders(response.headers, {name});
    response.headers.emplace_back(name, value);
  }
  ChangeJson(response.body, defect);
  for (const auto& [from, to] : defect.replace) ReplaceAll(response.body, from, to);
  for (const auto& [from, to] : defect.cut) CutAll(response.body, from, to);
  response.body.resize(response.body.size() - std::min(defect.truncate, response.body.size()));
  if (defect.flips_a_byte && !response.body.empty()) {
    char& middle = response.body[response.body.size() / 2];
    middle = static_cast<char>(middle ^ 1);
  }
  return response;
}

}  // namespace gcsflux::conformance
