#pragma once

#include <functional>
#include <string>

#include "distributed/training_group.h"
#include "gcsflux/client.h"
#include "gcsflux/collective.h"
#include "gcsflux/run_environment.h"

namespace examples {

/// What all parts of a training job need: one for each rank.
struct Job {
  std::string program;
  const gcsflux::RunEnvironment& run;
  const gcsflux::Client& client;
  gcsflux::ObjectName root;  ///< A bucket, or a prefix that ends in '/'.
  gcsflux::Collective& ranks;
  TrainingGroup& group;

  [[nodiscard]] gcsflux::ObjectName At(const std::string& name) const { return {root.bucket, root.name + name}; }
  [[nodiscard]] bool is_first() const { return run.rank == 0; }
};

/// Reads the flags, connects the ranks and calls `body`. Without --bucket an emulator runs inside the process. `source`
/// is a file of this folder, whose flags --help shows. Returns the exit status: 1 with one line on standard error if
/// `body` throws, and 2 for a wrong usage.
int RunJob(const std::string& program, const char* source, int argc, char** argv,
           const std::function<void(const Job& job)>& body);

}  // namespace examples
