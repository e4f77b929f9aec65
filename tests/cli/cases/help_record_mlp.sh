# needs: record
gtrace record mlp --help
