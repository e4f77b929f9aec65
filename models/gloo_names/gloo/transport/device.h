// Types that LibTorch's ProcessGroupGloo.hpp holds by pointer.
#pragma once

namespace gloo::transport {

class Device;
class UnboundBuffer;

}  // namespace gloo::transport
