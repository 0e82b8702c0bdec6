#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <memory>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "gcsflux/collective.h"
#include "gcsflux/run_environment.h"
#include "gcsflux/torch/storage_error.h"

// The processes of a job as a Collective. They find each other through a store of libtorch's c10d:
// docs/distributed.md. Throws StorageError.
namespace gcsflux {

/// Opens the store where the processes of a job find each other. Groups of c10d can use it too. It is
/// - a FileStore, if RunEnvironment::store_file is set;
/// - the store of torchrun's agent, under a prefix for each restart, if torchrun says so
/// (TORCHELASTIC_USE_AGENT_STORE);
/// - otherwise a TCPStore, which rank 0 serves at master_host and master_port, or at c10d's default port 29500.
/// A job of one process needs no store: returns null.
///
/// Throws StorageError with kInvalidArgument if the environment does not say where rank 0 is, or if the port is 0.
/// Throws it with kUnreachable if the port is taken, the host has no address, or the store does not come within
/// `deadline`. The message names the place. On rank 0, the end of the store waits at most 1 s for connections of
/// strangers.
c10::intrusive_ptr<c10d::Store> OpenProcessStore(const RunEnvironment& run,
                                                 std::chrono::milliseconds deadline = std::chrono::minutes(5));

/// Connects all processes with rank 0 over TCP, apart from the group of the training, which never waits for a
/// checkpoint. Returns when all processes are connected. Rank 0 listens until then, and talks only to processes that
/// know the secret that it puts into the store. All ranks may call it again with the same store, also after a failure
/// of a group: the n-th calls of all ranks make one group.
///
/// If a process ends, the others learn it at once. If it hangs, they learn it at the deadline of a call. The labels of
/// ranks have host and process. Throws StorageError with kUnreachable if a process does not come within `deadline`. The
/// message on all ranks names it. If rank 0 does not come, or cannot be reached, each rank says so at once, or after
/// `deadline` and some seconds. After a TCPStore has given no answer within the deadline, open it again.
std::unique_ptr<Collective> JoinProcesses(const RunEnvironment& run, const c10::intrusive_ptr<c10d::Store>& store,
                                          std::chrono::milliseconds deadline = std::chrono::minutes(5));

}  // namespace gcsflux
