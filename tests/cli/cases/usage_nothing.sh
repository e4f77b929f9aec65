gtrace
