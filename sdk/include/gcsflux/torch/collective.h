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

/// Where the processes of a job find each other, for groups of c10d too. If RunEnvironment::store_file is set, it is a
/// FileStore. Otherwise rank 0 serves a TCPStore at master_host and master_port, or at c10d's default port 29500, and
/// the others connect to it. A job of one process needs none: null.
///
/// Throws kInvalidArgument if the environment has no place for it; kUnreachable, with the place, if its port is taken,
/// its host has no address, or rank 0 does not come within `deadline`.
c10::intrusive_ptr<c10d::Store> OpenProcessStore(const RunEnvironment& run,
                                                 std::chrono::milliseconds deadline = std::chrono::minutes(5));

/// Connects all processes with each other by a group of Gloo of its own, which nothing else uses: the group of the
/// training never waits for a checkpoint. Returns when all are there.
///
/// If a process ends, the others learn it at once; if it hangs, by the deadline of a call. The labels of ranks have
/// host and process. Throws kUnreachable if a process does not come within `deadline`: the message on rank 0 names it.
std::unique_ptr<Collective> JoinProcesses(const RunEnvironment& run, const c10::intrusive_ptr<c10d::Store>& store,
                                          std::chrono::milliseconds deadline = std::chrono::minutes(5));

}  // namespace gcsflux
