gtrace diff --help
