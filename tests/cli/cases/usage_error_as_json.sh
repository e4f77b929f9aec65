gtrace show --json absent.h5
