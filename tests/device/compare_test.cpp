#include "kernels/device_compare.h"
#include "kernels/device_memory.h"
#include "tests/device/device_test.h"
#include "tests/kernels/compare_twins.h"
#include "traces/shuffle.h"

namespace goldentrace {
namespace {

using namespace goldentrace::testing;

class DeviceCompare : public DeviceTest {};

TEST_F(DeviceCompare, AgreesWithCompare) {
  const DeviceStream stream(0);
  for (const PairCase& pair : pair_cases()) {
    SCOPED_TRACE(pair.name);
    const DeviceBytes a(0, pair.bytes_a), b(0, pair.bytes_b);
    for (const CompareOptions options :
         {CompareOptions{}, CompareOptions{.nan_same = false, .rtol = 1e-3, .atol = 1e-2},
          CompareOptions{.metrics = Metrics::of_gates}}) {
      const Comparison actual = compare_on_device({pair.dtype_a, pair.shape, a.span()},
                                                  {pair.dtype_b, pair.shape, b.span()}, {0, stream.get()}, options);
      expect_same_comparison(actual, compare(pair.a(), pair.b(), options));
    }
  }
}

TEST_F(DeviceCompare, SameBitsOnEveryRun) {
  const Bytes a = random_bytes(4000000, 1), b = random_bytes(4000000, 2);
  const DeviceBytes on_a(0, a), on_b(0, b);
  const std::int64_t shape[] = {1000, 1000};
  const auto run = [&] {
    return compare_on_device({DType::float32, shape, on_a.span()}, {DType::float32, shape, on_b.span()}, {});
  };
  const Comparison first = run();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(run() == first);
}

TEST_F(DeviceCompare, ShuffleAgreesWithShuffle) {
  const DeviceStream stream(0);
  for (const std::size_t item : {1, 2, 3, 4, 8, 16}) {
    for (const std::size_t size : {0, 1, 5003, 3000000}) {
      const Bytes in = random_bytes(size, item);
      Bytes expected(size);
      shuffle(in, item, expected);
      const DeviceBytes from(0, in), to(0, size);
      shuffle_on_device(from.data(), size, item, to.data(), {0, stream.get()});
      EXPECT_EQ(to.read(), expected) << item << " " << size;
    }
  }
}

}  // namespace
}  // namespace goldentrace
