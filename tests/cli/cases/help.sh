gtrace --help
