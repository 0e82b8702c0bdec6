#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace gcsflux::cli {

/// A line as users of gsutil, gcloud storage, s5cmd and aws s3 type it, and what it does. The bucket gs://bkt then
/// holds a.txt, b.txt, c.csv, logs/1.log, logs/2.log and logs/deep/3.log, each with its name as its bytes; in the
/// current directory are local.txt ("local") and dir/x ("x").
struct Habit {
  std::string line;  ///< Without the name of the program.
  int status = 0;
  std::string out = {};                   ///< All of standard output; with a * at its end, a part of it.
  std::string err = {};                   ///< A part of standard error. If it is empty, so is standard error.
  std::vector<std::string> objects = {};  ///< What the bucket holds then; not looked at if it is empty.
};

// GoogleTest shows it so.
inline void PrintTo(const Habit& habit, std::ostream* out) { *out << habit.line; }

std::span<const Habit> Habits();

}  // namespace gcsflux::cli
