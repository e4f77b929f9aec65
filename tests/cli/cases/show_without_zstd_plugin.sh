HDF5_PLUGIN_PATH=/absent gtrace show "$GOLDEN" --record 0:0:0/forward/layers.0#0/output.0 | tail -2
mkdir empty
HDF5_PLUGIN_PATH=$PWD/empty gtrace show "$GOLDEN" --record 0:0:0/forward/layers.0#0/output.0 | tail -2
HDF5_PLUGIN_PATH=/absent gtrace diff "$GOLDEN" "$GOLDEN" > /dev/null
echo "exit $?"
