# The gcsflux program.

# The command, but for its main(): its tests link it.
add_library(gcsflux_cli STATIC
  sdk/cli/checkpoint.cc
  sdk/cli/checkpoint_lines.cc
  sdk/cli/checkpoint_run.cc
  sdk/cli/clean.cc
  sdk/cli/command_flags.cc
  sdk/cli/commands.cc
  sdk/cli/concatenate.cc
  sdk/cli/copy.cc
  sdk/cli/copy_flags.cc
  sdk/cli/copy_jobs.cc
  sdk/cli/copy_plan.cc
  sdk/cli/copy_sources.cc
  sdk/cli/copy_trees.cc
  sdk/cli/duration.cc
  sdk/cli/interruption.cc
  sdk/cli/keep_flags.cc
  sdk/cli/list.cc
  sdk/cli/local_tree.cc
  sdk/cli/names.cc
  sdk/cli/output.cc
  sdk/cli/print_object.cc
  sdk/cli/progress.cc
  sdk/cli/remove.cc
  sdk/cli/connection_quota.cc
  sdk/cli/rewrite.cc
  sdk/cli/route.cc
  sdk/cli/status_line.cc
  sdk/cli/suspended_upload.cc
  sdk/cli/sync.cc
  sdk/cli/transfer_monitor.cc
  sdk/cli/upload_file.cc)
gcsflux_join(gcsflux_cli)
target_include_directories(gcsflux_cli PUBLIC ${PROJECT_SOURCE_DIR}/sdk ${PROJECT_SOURCE_DIR}/sdk/src)
target_link_libraries(gcsflux_cli PRIVATE gcsflux_strict PUBLIC gcsflux_flags gflags)
gcsflux_program(gcsflux sdk/cli/main.cc)
target_link_libraries(gcsflux PRIVATE gcsflux_cli)
