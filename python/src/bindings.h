#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "keywords.h"

// The parts of the module, in the order in which they are bound.
namespace gcsflux::python {

/// gcsflux.Client.
class PythonClient {
 public:
  explicit PythonClient(const nanobind::kwargs& given);
  ~PythonClient();
  PythonClient(const PythonClient&) = delete;
  PythonClient& operator=(const PythonClient&) = delete;

  const nanobind::dict given;  ///< The options as the caller gave them, for another process.
  const Options options;

 private:
  struct Handles {
    Client client;
    Downloader downloads;
    Downloader downloads_with_gaps;
  };
  std::unique_ptr<const Handles> handles_;

 public:
  const Client& client;
  const Downloader& downloads;            ///< The first failure ends a download.
  const Downloader& downloads_with_gaps;  ///< Each failure is delivered.
};

using ClientClass = nanobind::class_<PythonClient>;

void BindObjects(nanobind::module_& module);
ClientClass BindClient(nanobind::module_& module);  ///< The class, with its calls about buckets and one object.
void BindReads(ClientClass& client);
void BindWrites(ClientClass& client);
void BindBatches(ClientClass& client);  ///< Calls about many objects.
void BindListing(ClientClass& client);
void BindStreams(nanobind::module_& module, ClientClass& client);

}  // namespace gcsflux::python
