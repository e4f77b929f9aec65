#include "checkpoints/unpickler.h"

#include <bit>
#include <optional>
#include <string>

#include "checkpoints/little_endian.h"
#include "checkpoints/pickle_opcodes.h"
#include "checkpoints/torch_rebuild.h"
#include "traces/error.h"
#include "traces/printable.h"

namespace goldentrace {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::damaged, what); }

// The names that Python 2 and NumPy 2 write, as those of the list.
std::string normalised(std::string_view module, std::string_view member) {
  std::string name = std::string(module) + "." + std::string(member);
  constexpr std::string_view old_builtins = "__builtin__.", new_core = "numpy._core.";
  if (name.starts_with(old_builtins)) return "builtins." + name.substr(old_builtins.size());
  if (name.starts_with(new_core)) return "numpy.core." + name.substr(new_core.size());
  return name;
}

class Input {
 public:
  explicit Input(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size() - position_) refuse("truncated");
    position_ += size;
    return bytes_.subspan(position_ - size, size);
  }
  template <typename T>
  T number() {
    return read_little_endian<T>(take(sizeof(T)));
  }
  std::string_view text(std::uint64_t size) {
    const auto bytes = take(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::string_view line() {
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + position_, bytes_.size() - position_);
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) refuse("truncated");
    position_ += end + 1;
    return rest.substr(0, end);
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

class Machine {
 public:
  Machine(std::span<const std::byte> pickle, const StorageSource& storages, UnknownClass unknown)
      : input_(pickle), storages_(storages), unknown_(unknown) {}

  PickleDocument run() try {
    while (step()) {
    }
    return builder_.finish(pop());
  } catch (const Error& error) {
    throw Error(error.code(), "byte " + std::to_string(opcode_at_) + ": " + error.what());
  }

 private:
  using Op = PickleOpcode;

  bool step() {
    opcode_at_ = input_.position();
    const auto code = input_.number<std::uint8_t>();
    const auto op = static_cast<Op>(code);
    if (op == Op::stop) return false;
    if (!scalar(op) && !text(op) && !stack(op) && !collection(op) && !memo(op) && !object(op))
      refuse("opcode " + std::to_string(code) + " is not read here");
    return true;
  }

  bool scalar(Op op) {
    switch (op) {
      case Op::none:
        return push(PickleBuilder::none());
      case Op::newtrue:
        return push(builder_.add({.kind = PickleKind::boolean, .integer = 1}));
      case Op::newfalse:
        return push(builder_.add({.kind = PickleKind::boolean}));
      case Op::binint:
        return push(builder_.add_integer(input_.number<std::int32_t>()));
      case Op::binint1:
        return push(builder_.add_integer(input_.number<std::uint8_t>()));
      case Op::binint2:
        return push(builder_.add_integer(input_.number<std::uint16_t>()));
      case Op::long1:
        return push_long(input_.number<std::uint8_t>());
      case Op::long4:
        return push_long(size_of(input_.number<std::int32_t>()));
      case Op::binfloat:
        return push(builder_.add_floating(std::bit_cast<double>(__builtin_bswap64(input_.number<std::uint64_t>()))));
      default:
        return false;
    }
  }

  bool text(Op op) {
    switch (op) {
      case Op::binunicode:
        return push_text(PickleKind::text, input_.number<std::uint32_t>());
      case Op::short_binunicode:
      case Op::short_binstring:
        return push_text(PickleKind::text, input_.number<std::uint8_t>());
      case Op::binunicode8:
        return push_text(PickleKind::text, input_.number<std::uint64_t>());
      case Op::binstring:
        return push_text(PickleKind::text, size_of(input_.number<std::int32_t>()));
      case Op::binbytes:
        return push_text(PickleKind::bytes, input_.number<std::uint32_t>());
      case Op::short_binbytes:
        return push_text(PickleKind::bytes, input_.number<std::uint8_t>());
      case Op::binbytes8:
      case Op::bytearray8:
        return push_text(PickleKind::bytes, input_.number<std::uint64_t>());
      default:
        return false;
    }
  }

  bool stack(Op op) {
    switch (op) {
      case Op::mark:
        builder_.charge(2 * sizeof(std::size_t));
        marks_.push_back(stack_.size());
        return true;
      case Op::pop:
        if (!marks_.empty() && marks_.back() == stack_.size())
          marks_.pop_back();
        else
          pop();
        return true;
      case Op::pop_mark:
        pop_to_mark();
        return true;
      case Op::dup:
        return push(top());
      case Op::proto:
        if (input_.number<std::uint8_t>() > newest_pickle_protocol) refuse("a newer pickle protocol");
        return true;
      case Op::frame:
        input_.number<std::uint64_t>();
        return true;
      default:
        return false;
    }
  }

  bool collection(Op op) {
    switch (op) {
      case Op::empty_tuple:
        return push(builder_.add({.kind = PickleKind::tuple}));
      case Op::tuple:
        return push(builder_.add_sequence(PickleKind::tuple, pop_to_mark()));
      case Op::tuple1:
      case Op::tuple2:
      case Op::tuple3:
        return push_tuple(1 + static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::tuple1));
      case Op::empty_list:
        return push(builder_.add({.kind = PickleKind::list}));
      case Op::list:
        return push(builder_.add_sequence(PickleKind::list, pop_to_mark()));
      case Op::empty_set:
        return push(builder_.add({.kind = PickleKind::set}));
      case Op::frozenset:
        return push(builder_.add_sequence(PickleKind::set, pop_to_mark()));
      case Op::empty_dict:
        return push(builder_.add({.kind = PickleKind::dict}));
      case Op::dict:
        return push(builder_.add_sequence(PickleKind::dict, even(pop_to_mark())));
      default:
        return fill(op);
    }
  }

  bool fill(Op op) {
    switch (op) {
      case Op::append:
        return extend("APPEND", PickleKind::list, {pop()});
      case Op::appends:
        return extend("APPENDS", PickleKind::list, pop_to_mark());
      case Op::additems:
        return extend("ADDITEMS", PickleKind::set, pop_to_mark());
      case Op::setitem: {
        const PickleRef value = pop(), key = pop();
        return extend("SETITEM", PickleKind::dict, {key, value});
      }
      case Op::setitems:
        return extend("SETITEMS", PickleKind::dict, even(pop_to_mark()));
      default:
        return false;
    }
  }

  bool memo(Op op) {
    switch (op) {
      case Op::binput:
        return remember(input_.number<std::uint8_t>());
      case Op::long_binput:
        return remember(input_.number<std::uint32_t>());
      case Op::memoize:
        return remember(memo_.size());
      case Op::binget:
        return push(recall(input_.number<std::uint8_t>()));
      case Op::long_binget:
        return push(recall(input_.number<std::uint32_t>()));
      default:
        return false;
    }
  }

  bool object(Op op) {
    switch (op) {
      case Op::global: {
        const std::string_view module = input_.line(), member = input_.line();
        return push_global(module, member);
      }
      case Op::stack_global: {
        const PickleValue member = builder_.value(pop()), module = builder_.value(pop());
        if (!member.is(PickleKind::text) || !module.is(PickleKind::text)) refuse("a class whose name is no text");
        return push_global(module.text(), member.text());
      }
      case Op::reduce:
      case Op::newobj: {
        const PickleRef arguments = pop(), callable = pop();
        return push(call(callable, arguments));
      }
      case Op::newobj_ex: {
        pop();  // keyword arguments
        const PickleRef arguments = pop(), callable = pop();
        return push(call(callable, arguments));
      }
      case Op::build:
        return set_state(pop());
      case Op::binpersid:
        return push(make_storage(builder_, pop()));
      default:
        return false;
    }
  }

  PickleRef call(PickleRef callable, PickleRef arguments) {
    return call_class(builder_, storages_, callable, arguments);
  }

  bool push_global(std::string_view module, std::string_view member) {
    const std::string name = normalised(module, member);
    if (unknown_ == UnknownClass::refuse && !is_known_class(name))
      throw Error(ErrorCode::unsupported, "names " + printable(name.substr(0, 200)) +
                                              ", which is not on the list of harmless classes; nothing was run");
    return push(builder_.add_global(name));
  }

  bool set_state(PickleRef state) {
    PickleNode& target = builder_.node(top());
    if (target.kind == PickleKind::object)
      builder_.append(top(), state);
    else if (target.kind != PickleKind::dict && target.kind != PickleKind::tensor && target.kind != PickleKind::set)
      refuse("BUILD on " + std::string(name(target.kind)));
    return true;
  }

  bool extend(const char* opcode, PickleKind kind, const std::vector<PickleRef>& items) {
    const PickleRef target = top();
    const PickleKind found = builder_.node(target).kind;
    if (found == PickleKind::object) return true;  // a subclass of dict or list that is only a name here
    if (found != kind) refuse(std::string(opcode) + " on " + std::string(name(found)));
    for (const PickleRef item : items) builder_.append(target, item);
    return true;
  }

  bool push(PickleRef ref) {
    builder_.charge(stack_.size() == stack_.capacity() ? 2 * sizeof(PickleRef) * (stack_.size() + 1) : 0);
    stack_.push_back(ref);
    return true;
  }
  bool push_text(PickleKind kind, std::uint64_t size) {
    return push(builder_.add({.kind = kind, .text = input_.text(size)}));
  }
  bool push_tuple(std::size_t size) {
    std::vector<PickleRef> items(size);
    for (std::size_t i = size; i-- > 0;) items[i] = pop();
    return push(builder_.add_sequence(PickleKind::tuple, std::move(items)));
  }
  // Numbers beyond 64 bits stay a name: no count or size is one.
  bool push_long(std::uint64_t size) {
    const auto bytes = input_.take(size);
    if (size > sizeof(std::int64_t)) return push(builder_.add_object("builtins.int", PickleBuilder::none()));
    std::uint64_t value = size > 0 && (bytes.back() & std::byte{0x80}) != std::byte{0} ? ~std::uint64_t{0} : 0;
    for (std::size_t i = size; i-- > 0;) value = (value << 8) | static_cast<std::uint64_t>(bytes[i]);
    return push(builder_.add_integer(static_cast<std::int64_t>(value)));
  }
  static std::uint64_t size_of(std::int32_t size) {
    if (size < 0) refuse("a negative length");
    return static_cast<std::uint64_t>(size);
  }

  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  PickleRef top() const {
    if (stack_.size() <= floor()) refuse("nothing on the stack");
    return stack_.back();
  }
  PickleRef pop() {
    const PickleRef ref = top();
    stack_.pop_back();
    return ref;
  }
  std::vector<PickleRef> pop_to_mark() {
    if (marks_.empty()) refuse("no mark on the stack");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleRef> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  static std::vector<PickleRef> even(std::vector<PickleRef> items) {
    if (items.size() % 2 != 0) refuse("a key without a value");
    return items;
  }

  bool remember(std::uint64_t index) {
    if (index >= memo_.size()) {
      builder_.charge(2 * sizeof(std::int64_t) * (index + 1 - memo_.size()));
      memo_.resize(index + 1, -1);
    }
    memo_[index] = top();
    return true;
  }
  PickleRef recall(std::uint64_t index) const {
    if (index >= memo_.size() || memo_[index] < 0) refuse("memo " + std::to_string(index) + " was never set");
    return static_cast<PickleRef>(memo_[index]);
  }

  Input input_;
  const StorageSource& storages_;
  UnknownClass unknown_;
  PickleBuilder builder_;
  std::size_t opcode_at_ = 0;
  std::vector<PickleRef> stack_;
  std::vector<std::size_t> marks_;
  std::vector<std::int64_t> memo_;  // -1: not set
};

}  // namespace

PickleDocument unpickle(std::span<const std::byte> pickle, const StorageSource& storages, UnknownClass unknown) {
  return Machine(pickle, storages, unknown).run();
}

}  // namespace goldentrace
