gtrace convert --help
