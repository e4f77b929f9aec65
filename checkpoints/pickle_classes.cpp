#include "checkpoints/pickle_classes.h"

#include <algorithm>
#include <array>

#include "checkpoints/numpy_scalar.h"
#include "checkpoints/torch_rebuild.h"
#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

// Kept as an object with its name, arguments and state.
constexpr std::array inert{
    std::string_view("argparse.Namespace"),
    std::string_view("pathlib.Path"),
    std::string_view("pathlib.PosixPath"),
    std::string_view("pathlib.PurePosixPath"),
    std::string_view("pathlib._local.PosixPath"),
    std::string_view("datetime.datetime"),
    std::string_view("datetime.timedelta"),
    std::string_view("builtins.bytes"),
    std::string_view("builtins.complex"),
    std::string_view("builtins.slice"),
    std::string_view("builtins.range"),
    std::string_view("builtins.set"),
    std::string_view("builtins.frozenset"),
    std::string_view("builtins.bytearray"),
    std::string_view("builtins.object"),
    std::string_view("builtins.list"),
    std::string_view("builtins.tuple"),
    std::string_view("builtins.int"),
    std::string_view("builtins.float"),
    std::string_view("builtins.str"),
    std::string_view("numpy.ndarray"),
    std::string_view("numpy.dtype"),
    std::string_view("numpy.core.multiarray._reconstruct"),
    std::string_view("torch.device"),
    std::string_view("types.SimpleNamespace"),
};

constexpr std::array dicts{std::string_view("collections.OrderedDict"), std::string_view("collections.defaultdict"),
                           std::string_view("collections.Counter"), std::string_view("builtins.dict")};

template <typename Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Enums of Megatron and DeepSpeed under any of their module names: megatron.enums, megatron.core.enums …
bool is_enum_module(std::string_view name) {
  const bool upstream = name.starts_with("megatron.") || name.starts_with("deepspeed.");
  return upstream && name.find(".enums.") != std::string_view::npos;
}

[[noreturn]] void refuse(std::string_view callable, const std::string& what) {
  throw Error(ErrorCode::damaged, printable(callable) + ": " + what);
}

// OrderedDict() and OrderedDict([[key, value], …]); defaultdict(factory) has a class there.
PickleRef make_dict(PickleBuilder& builder, std::string_view callable, const PickleValue& arguments) {
  const PickleRef dict = builder.add({.kind = PickleKind::dict});
  if (arguments.size() == 0 || arguments.item(0).is(PickleKind::global)) return dict;
  const PickleValue pairs = arguments.item(0);
  if (pairs.is(PickleKind::dict)) return pairs.ref();
  if (!pairs.is(PickleKind::list)) refuse(callable, "its argument is " + std::string(name(pairs.kind())));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PickleValue pair = pairs.item(i);
    const bool is_pair = (pair.is(PickleKind::list) || pair.is(PickleKind::tuple)) && pair.size() == 2;
    if (!is_pair) refuse(callable, "element " + std::to_string(i) + " is no pair");
    builder.append(dict, pair.item(0).ref());
    builder.append(dict, pair.item(1).ref());
  }
  return dict;
}

// _codecs.encode(text, "latin1"): how protocol 2 writes bytes.
PickleRef encode_latin1(PickleBuilder& builder, std::string_view callable, const PickleValue& arguments) {
  const bool fits = arguments.size() == 2 && arguments.item(0).is(PickleKind::text) &&
                    arguments.item(1).is(PickleKind::text) && arguments.item(1).text() == "latin1";
  if (!fits) refuse(callable, "not a text in latin1");
  std::string bytes;
  const std::string_view text = arguments.item(0).text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool two = (byte & 0xfe) == 0xc2 && i + 1 < text.size() && (text[i + 1] & 0xc0) == 0x80;
    if (byte >= 0x80 && !two) refuse(callable, "not a text in latin1");
    bytes += two ? static_cast<char>(((byte & 3) << 6) | (text[++i] & 0x3f)) : text[i];
  }
  return builder.add_bytes(std::move(bytes));
}

// getattr(EnumClass, "member"): how newer Pythons write enums.
PickleRef enum_member(PickleBuilder& builder, std::string_view callable, const PickleValue& arguments) {
  const bool fits = arguments.size() == 2 && arguments.item(0).is(PickleKind::global) &&
                    is_enum_module(arguments.item(0).text()) && arguments.item(1).is(PickleKind::text);
  if (!fits) refuse(callable, "only members of known enums are read");
  return builder.add_object(arguments.item(0).text(),
                            builder.add_sequence(PickleKind::tuple, {arguments.item(1).ref()}));
}

bool is_getattr(std::string_view name) { return name == "builtins.getattr"; }

}  // namespace

bool is_known_class(std::string_view name) {
  return contains(inert, name) || contains(dicts, name) || is_enum_module(name) || is_torch_class(name) ||
         is_numpy_scalar(name) || name == "_codecs.encode" || is_getattr(name);
}

PickleRef call_class(PickleBuilder& builder, const StorageSource& storages, PickleRef callable, PickleRef arguments) {
  const PickleValue function = builder.value(callable);
  const PickleValue tuple = builder.value(arguments);
  const std::string_view name = function.text();
  if (!function.is(PickleKind::global)) refuse("REDUCE", "calls " + std::string(goldentrace::name(function.kind())));
  if (!tuple.is(PickleKind::tuple)) refuse(name, "called without a tuple of arguments");
  if (contains(dicts, name)) return make_dict(builder, name, tuple);
  if (is_torch_class(name)) return call_torch(builder, storages, name, tuple);
  if (is_numpy_scalar(name)) return numpy_scalar(builder, name, tuple);
  if (name == "_codecs.encode") return encode_latin1(builder, name, tuple);
  if (is_getattr(name)) return enum_member(builder, name, tuple);
  return builder.add_object(name, arguments);
}

}  // namespace goldentrace
