gtrace recover --help
