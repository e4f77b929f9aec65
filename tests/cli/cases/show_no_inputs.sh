gtrace show "$NO_INPUTS"
