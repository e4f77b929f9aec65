gtrace show --help
