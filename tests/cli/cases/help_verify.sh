gtrace verify --help
