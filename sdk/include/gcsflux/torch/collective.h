#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <memory>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "gcsflux/collective.h"
#include "gcsflux/run_environment.h"
#include "gcsflux/torch/storage_error.h"

// The processes of a job as a Collective, over libtorch's c10d: docs/distributed.md. Throws StorageError.
namespace gcsflux {

/// Opens the store where the processes of a job find each other. Groups of c10d can use it too. If
/// RunEnvironment::store_file is set, it is a FileStore. Otherwise rank 0 serves a TCPStore at master_host and
/// master_port, or at c10d's default port 29500, and the others connect to it. A job of one process needs no store:
/// returns null.
///
/// Throws StorageError with kInvalidArgument if the environment does not say where rank 0 is. Throws it with
/// kUnreachable if the port is taken, the host has no address, or rank 0 does not come within `deadline`. The message
/// names the place.
c10::intrusive_ptr<c10d::Store> OpenProcessStore(const RunEnvironment& run,
                                                 std::chrono::milliseconds deadline = std::chrono::minutes(5));

/// Connects all processes with each other by a separate group of Gloo, so that the group of the training never waits
/// for a checkpoint. Returns when all processes are connected.
///
/// If a process ends, the others learn it at once. If it hangs, they learn it at the deadline of a call. The labels of
/// ranks have host and process. Throws StorageError with kUnreachable if a process does not come within `deadline`. The
/// message on rank 0 names it.
std::unique_ptr<Collective> JoinProcesses(const RunEnvironment& run, const c10::intrusive_ptr<c10d::Store>& store,
                                          std::chrono::milliseconds deadline = std::chrono::minutes(5));

}  // namespace gcsflux
