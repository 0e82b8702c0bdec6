#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// The first host of Slurm's notation: "node001" of "node[001-004,007],other". Empty if it has another form.
std::string FirstHost(std::string_view list);

}  // namespace gcsflux::internal
