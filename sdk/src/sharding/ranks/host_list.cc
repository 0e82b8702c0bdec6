#include "sharding/ranks/host_list.h"

namespace gcsflux::internal {

std::string FirstHost(std::string_view list) {
  std::string host;
  while (!list.empty() && list.front() != ',') {
    const std::size_t begin = list.find_first_of("[,");
    host += list.substr(0, begin);
    if (begin == std::string_view::npos || list[begin] == ',') break;
    const std::size_t end = list.find(']', begin);
    if (end == std::string_view::npos) return "";
    const std::string_view numbers = list.substr(begin + 1, end - begin - 1);
    const std::string_view first = numbers.substr(0, numbers.find_first_of("-,"));
    if (first.empty() || first.find_first_not_of("0123456789") != std::string_view::npos) return "";
    host += first;
    list.remove_prefix(end + 1);
  }
  return host;
}

}  // namespace gcsflux::internal
