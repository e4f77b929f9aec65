# needs: record
gtrace record --help
