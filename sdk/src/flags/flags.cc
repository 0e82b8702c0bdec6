// ClientOptionsFromFlags. Each group of flags has its own file.
#include "gcsflux/flags.h"

#include <gflags/gflags.h>

#include "flags/flag_values.h"

DEFINE_string(endpoint, "",
              "Where to send requests, as http(s)://host[:port]. Set it for an emulator or a private endpoint; "
              "if empty, the first of STORAGE_EMULATOR_HOST, CLOUD_STORAGE_EMULATOR_ENDPOINT and "
              "CLOUD_STORAGE_TESTBENCH_ENDPOINT that is set, then https://storage.googleapis.com.");
DEFINE_string(project, "",
              "Project for creating and listing buckets. Set it if GOOGLE_CLOUD_PROJECT is not set, or names "
              "another project.");

namespace gcsflux {

Result<ClientOptions> ClientOptionsFromFlags() {
  ClientOptions options{.endpoint = FLAGS_endpoint, .project = FLAGS_project};
  for (const auto set : {internal::SetCredentialsFromFlags, internal::SetRetriesFromFlags,
                         internal::SetNetworkFromFlags, internal::SetEventListenerFromFlags}) {
    if (auto done = set(options); !done) return done.error();
  }
  // A wrong value is reported even if the program does not use it.
  if (const auto download = DownloaderOptionsFromFlags(); !download) return download.error();
  if (const auto writing = UploadOptionsFromFlags(); !writing) return writing.error();
  if (const auto reading = ObjectReaderOptionsFromFlags(); !reading) return reading.error();
  return options;
}

}  // namespace gcsflux
