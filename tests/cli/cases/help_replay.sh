# needs: replay
gtrace replay --help
