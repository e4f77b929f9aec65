gtrace completion --help
