# The gcsflux program.

# The command, but for its main(): its tests link it.
add_library(gcsflux_cli STATIC
  sdk/cli/cat.cc
  sdk/cli/clean.cc
  sdk/cli/command_flags.cc
  sdk/cli/commands.cc
  sdk/cli/ls.cc
  sdk/cli/mb.cc
  sdk/cli/rm.cc
  sdk/cli/stat.cc
  sdk/cli/arguments/duration.cc
  sdk/cli/arguments/names.cc
  sdk/cli/checkpoint/checkpoint.cc
  sdk/cli/checkpoint/checkpoint_lines.cc
  sdk/cli/checkpoint/checkpoint_run.cc
  sdk/cli/checkpoint/convert_to_shards.cc
  sdk/cli/checkpoint/keep_flags.cc
  sdk/cli/copy/connection_quota.cc
  sdk/cli/copy/copy_flags.cc
  sdk/cli/copy/copy_jobs.cc
  sdk/cli/copy/copy_plan.cc
  sdk/cli/copy/copy_sources.cc
  sdk/cli/copy/copy_trees.cc
  sdk/cli/copy/cp.cc
  sdk/cli/copy/local_tree.cc
  sdk/cli/copy/rewrite.cc
  sdk/cli/copy/route.cc
  sdk/cli/copy/special_files.cc
  sdk/cli/copy/suspended_upload.cc
  sdk/cli/copy/sync.cc
  sdk/cli/copy/upload_file.cc
  sdk/cli/terminal/interruption.cc
  sdk/cli/terminal/output.cc
  sdk/cli/terminal/print_object.cc
  sdk/cli/terminal/progress.cc
  sdk/cli/terminal/status_line.cc
  sdk/cli/terminal/transfer_monitor.cc)
target_include_directories(gcsflux_cli PUBLIC ${PROJECT_SOURCE_DIR}/sdk ${PROJECT_SOURCE_DIR}/sdk/src)
target_link_libraries(gcsflux_cli PRIVATE gcsflux_strict PUBLIC gcsflux_flags gflags)
gcsflux_program(gcsflux sdk/cli/main.cc)
target_link_libraries(gcsflux PRIVATE gcsflux_cli)
