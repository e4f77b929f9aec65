gtrace show "$NO_INPUTS" --tape attention
