# Programs to learn from; CTest runs each at its smallest, against an emulator in the same process.
gcsflux_program(quickstart examples/quickstart.cc)
target_link_libraries(quickstart PRIVATE gcsflux_flags gcsflux_emulator)
add_test(NAME example.quickstart COMMAND quickstart)
set_tests_properties(example.quickstart PROPERTIES PASS_REGULAR_EXPRESSION "notes/hello.txt, 14 bytes: Hello, bucket!")
add_test(NAME example.quickstart_flags COMMAND quickstart --log_level=debug)
set_tests_properties(example.quickstart_flags PROPERTIES PASS_REGULAR_EXPRESSION "objects.insert gs://my-bucket/notes/hello.txt")

gcsflux_program(list_and_download examples/list_and_download.cc)
target_link_libraries(list_and_download PRIVATE gcsflux_flags gcsflux_emulator gflags)
add_test(NAME example.list_and_download COMMAND list_and_download)
set_tests_properties(example.list_and_download PROPERTIES
  PASS_REGULAR_EXPRESSION "downloaded 100 objects, 1000000 bytes.*[1-9] operations of class A, 100 of class B: [0-9.e-]+ USD")
add_test(NAME example.list_and_download_names
         COMMAND list_and_download --print_names --in_order --listing_cache=gs://my-bucket/saved)
set_tests_properties(example.list_and_download_names PROPERTIES
  PASS_REGULAR_EXPRESSION "train/98  10000\ntrain/99  10000\ndownloaded 100 objects")

if(has_torch)
  foreach(program read_dataset many_ranks)
    gcsflux_program(${program} examples/${program}.cc)
    target_link_libraries(${program} PRIVATE gcsflux_torch gcsflux_flags gcsflux_emulator gflags)
  endforeach()
  foreach(style map iterable)
    add_test(NAME example.read_dataset_${style} COMMAND read_dataset --style=${style} --batch_size=16 --print_names)
    set_tests_properties(example.read_dataset_${style} PROPERTIES
      PASS_REGULAR_EXPRESSION "train/[0-9]+  10000\n.*200 samples")
  endforeach()
  add_test(NAME example.many_ranks COMMAND many_ranks)
  set_tests_properties(example.many_ranks PROPERTIES
    PASS_REGULAR_EXPRESSION "3 ranks used 100 samples in each of 2 epochs: each sample once per epoch")

  gcsflux_program(checkpoint_io examples/checkpoint_io.cc)
  target_link_libraries(checkpoint_io PRIVATE gcsflux_torch gcsflux_emulator)
  add_test(NAME example.checkpoint_io COMMAND checkpoint_io)
  set_tests_properties(example.checkpoint_io PROPERTIES
    PASS_REGULAR_EXPRESSION "began at step 0\nresumed at step 30\nstep 40, [0-9]+ bytes, whole\nstep 50, .*1 step is left")

  add_library(timed_saves STATIC examples/timed_saves.cc)
  target_include_directories(timed_saves PUBLIC examples)
  target_link_libraries(timed_saves PUBLIC gcsflux_torch PRIVATE gcsflux_strict)

  gcsflux_program(train_text examples/train_text.cc examples/text/stored_text.cc)
  target_link_libraries(train_text PRIVATE timed_saves gcsflux_flags gcsflux_emulator gflags)
  add_test(NAME example.train_text COMMAND train_text --steps=4 --save_every=2 --width=8 --layers=1)
  set_tests_properties(example.train_text PROPERTIES
    PASS_REGULAR_EXPRESSION "saved step 4\n.*\nsync .*\neager .*\nlazy  +4  +2 .* ms .* ms .* %")

  if(NOT has_images)
    message(FATAL_ERROR "train_fashion_mnist needs gcsflux::images: see docs/building.md")
  endif()
  find_package(ZLIB REQUIRED)
  add_library(fashion_mnist STATIC
    examples/fashion_mnist/idx_file.cc
    examples/fashion_mnist/stored_images.cc
    examples/fashion_mnist/training.cc
    examples/store_missing.cc)
  target_include_directories(fashion_mnist PUBLIC examples)
  target_link_libraries(fashion_mnist PUBLIC gcsflux_torch PRIVATE gcsflux_strict gcsflux_images ZLIB::ZLIB)
  # g++ 12 takes the DataLoader's optionals in libtorch 2.x for ones that are not set.
  target_compile_options(fashion_mnist PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

  gcsflux_program(train_fashion_mnist examples/train_fashion_mnist.cc)
  target_link_libraries(train_fashion_mnist
    PRIVATE fashion_mnist timed_saves gcsflux_flags gcsflux_emulator gflags nlohmann_json::nlohmann_json)
  add_test(NAME example.train_fashion_mnist
           COMMAND train_fashion_mnist --train_images=200 --test_images=100 --epochs=1 --events=gs://fashion-mnist/events)

  if(GCSFLUX_GLOO_HEADERS)
    gcsflux_program(train_distributed
      examples/train_distributed.cc examples/distributed/training_group.cc)
    target_include_directories(train_distributed PRIVATE examples)
    target_link_libraries(train_distributed PRIVATE fashion_mnist gcsflux_flags gflags)
  endif()

  if(has_images AND GCSFLUX_GLOO_HEADERS)
    gcsflux_sources(sources examples/images EXCEPT train_)
    add_library(image_jobs STATIC ${sources} examples/distributed/training_group.cc examples/store_missing.cc)
    target_include_directories(image_jobs PUBLIC examples)
    target_compile_options(image_jobs PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # as fashion_mnist
    target_link_libraries(image_jobs
      PUBLIC gcsflux_images gcsflux_flags gcsflux_emulator gflags PRIVATE gcsflux_strict nlohmann_json::nlohmann_json)
    foreach(program train_images train_segmentation)
      gcsflux_program(${program} examples/images/${program}.cc)
      target_link_libraries(${program} PRIVATE image_jobs)
      add_test(NAME example.${program} COMMAND ${program} --epochs=1 --side=32 --batch_size=8)
    endforeach()
    set_tests_properties(example.train_images PROPERTIES PASS_REGULAR_EXPRESSION "\n    1       51 .*\naccuracy [0-9.]+")
    set_tests_properties(example.train_segmentation PROPERTIES
      PASS_REGULAR_EXPRESSION "\n    1       51 .*\nintersection_over_union [0-9.]+")
  endif()
endif()
