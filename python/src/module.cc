#include <nanobind/nanobind.h>

#include "bindings.h"
#include "calls.h"
#include "errors.h"
#include "gcsflux/version.h"

NB_MODULE(_gcsflux, module) {
  using namespace gcsflux::python;     // NOLINT(google-build-using-namespace): the module is this namespace.
  nanobind::set_leak_warnings(false);  // Objects that live until the process ends are no leak.
  module.doc() = "Google Cloud Storage: the C++ library gcsflux.";
  module.attr("__version__") = gcsflux::kVersion;
  BindErrors(module);
  BindObjects(module);
  ClientClass client = BindClient(module);
  BindReads(client);
  BindWrites(client);
  BindBatches(client);
  BindListing(client);
  BindStreams(module, client);
  StopCallsAtExit();
}
