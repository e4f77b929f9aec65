# needs: record
gtrace record gpt --help
