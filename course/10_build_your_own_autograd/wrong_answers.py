# Wrong answers to lesson 10 (misconceptions). Each must lose points and get the feedback recorded with it.

# %%
import math

from secant import Value


# %% the factors the wrong way round task="value_add_mul" base="own" hint="swapped" points="1"
class Value(Value):
    def __mul__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        return Value(self.data * other.data, (self, other), (self.data, other.data))


# %% the numbers for slopes of a sum task="value_add_mul" base="own" hint="numbers" points="1"
class Value(Value):
    def __add__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        return Value(self.data + other.data, (self, other), (self.data, other.data))


# %% a set of parents task="value_add_mul" base="own" en="each parent needs one slope" ko="부모마다 기울기가 하나씩" points="1"
class Value(Value):
    def __add__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        return Value(self.data + other.data, {self, other}, (1.0, 1.0))


# %% copies of the operands task="value_add_mul" en="an operand is not among the result's parents" ko="결과의 부모에 피연산자가 없습니다"
class Value(Value):
    def __add__(self, other):
        number = other if isinstance(other, (int, float)) else other.data
        return Value(self.data + number, (Value(self.data), Value(number)), (1.0, 1.0))

    def __mul__(self, other):
        number = other if isinstance(other, (int, float)) else other.data
        return Value(self.data * number, (Value(self.data), Value(number)), (number, self.data))


# %% numbers on one side only for sums task="value_add_mul" base="own" hint="number" points="1"
class Value(Value):
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% changes self task="value_add_mul" base="own" en="the result is an operand itself" ko="결과가 피연산자 자체이거나" points="1"
class Value(Value):
    def __add__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        old = Value(self.data, self.parents, self.slopes)
        self.data, self.parents, self.slopes = self.data + other.data, (old, other), (1.0, 1.0)
        return self


# %% nothing remembered task="value_add_mul" en="an operand is not among the result's parents" ko="결과의 부모에 피연산자가 없습니다"
class Value(Value):
    def __add__(self, other):
        return Value(self.data + getattr(other, "data", other))

    def __mul__(self, other):
        return Value(self.data * getattr(other, "data", other))


# %% pushes gradients at once task="value_add_mul" base="own" en="a Value that was only read has changed" ko="읽기만 해야 할 Value가 바뀌었습니다" points="1"
class Value(Value):
    def __add__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        self.grad += 1.0
        other.grad += 1.0
        return Value(self.data + other.data, (self, other), (1.0, 1.0))


# %% a number is no int task="value_add_mul" hint="number"
class Value(Value):
    def __add__(self, other):
        other = Value(other) if isinstance(other, float) else other
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = Value(other) if isinstance(other, float) else other
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% multiplying by 0 gives a constant task="value_add_mul" base="own" en="an operand is not among the result's parents" ko="결과의 부모에 피연산자가 없습니다" points="1"
class Value(Value):
    def __mul__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        if self.data == 0 or other.data == 0:
            return Value(0.0)
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% slopes that are Values task="value_add_mul" base="own" en="must be plain numbers, not Value" ko="수만 넣을 수 있습니다. 들어 있는 것은 Value" points="1"
class Value(Value):
    def __mul__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        return Value(self.data * other.data, (self, other), (other, self))


# %% breadth first task="value_order" en="it would pass on before it has received" ko="다 받기 전에 넘겨주게 됩니다"
class Value(Value):
    def order(self):
        found = [self]
        for value in found:
            found += [parent for parent in dict.fromkeys(value.parents) if parent not in found]
        return found


# %% the order in which a recursion meets them task="value_order" en="it would pass on before it has received" ko="다 받기 전에 넘겨주게 됩니다"
class Value(Value):
    def order(self):
        found = []
        stack = [self]
        while stack:
            value = stack.pop()
            if value not in found:
                found.append(value)
                stack += reversed(value.parents)
        return found


# %% parents first task="value_order" en="it would pass on before it has received" ko="다 받기 전에 넘겨주게 됩니다"
class Value(Value):
    def order(self):
        done, seen, stack = [], set(), [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return done


# %% no leaves task="value_order" en="missing: x" ko="빠진 값: x"
class Value(Value):
    def order(self):
        done, seen, stack = [], set(), [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value)
            elif value not in seen and value.parents:
                seen.add(value)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return done[::-1]


# %% a Value for each path task="value_order" en="a Value is listed more than once" ko="두 번 이상 나오는 Value가 있습니다"
class Value(Value):
    def order(self):
        done = []

        def visit(value):
            done.append(value)
            for parent in value.parents:
                visit(parent)

        visit(self)
        return done


# %% a recursion task="value_order" en="the recursion went too deep" ko="재귀가 너무 깊어졌습니다" points="2"
class Value(Value):
    def order(self):
        done, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for parent in value.parents:
                    visit(parent)
                done.append(value)

        visit(self)
        return done[::-1]


# %% a recursion with a higher limit task="value_order" en="sys.setrecursionlimit was left changed" ko="sys.setrecursionlimit이 바뀐 채로"
class Value(Value):
    def order(self):
        import sys

        sys.setrecursionlimit(20_000)
        done, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for parent in value.parents:
                    visit(parent)
                done.append(value)

        visit(self)
        return done[::-1]


# %% what was seen once is seen for ever task="value_order" en="missing:" ko="빠진 값:"
class Value(Value):
    def order(self, seen=set()):
        done, stack = [], [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return done[::-1]


# %% tells Values apart by their numbers task="value_order" en="missing:" ko="빠진 값:" points="1"
class Value(Value):
    def order(self):
        done, seen, stack = [], set(), [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value)
            elif value.data not in seen:
                seen.add(value.data)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return done[::-1]


# %% moves back whatever is met again task="value_order" en="it took too many steps" ko="너무 오래 걸렸습니다" points="2"
class Value(Value):
    def order(self):
        depth, stack = {}, [(self, 0)]
        while stack:
            value, level = stack.pop()
            depth[value] = max(level, depth.get(value, 0))
            stack += [(parent, level + 1) for parent in value.parents]
        return sorted(depth, key=depth.get)


# %% looks for what was seen in a list task="value_order" en="it took too many steps" ko="너무 오래 걸렸습니다" points="2"
class Value(Value):
    def order(self):
        done, seen, stack = [], [], [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value)
            elif value not in seen:
                seen.append(value)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return done[::-1]


# %% the numbers task="value_order" en="missing:" ko="빠진 값:"
class Value(Value):
    def order(self):
        done, seen, stack = [], set(), [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value.data)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return done[::-1]


# %% an iterator task="value_order" en="return a list" ko="리스트를 돌려주세요"
class Value(Value):
    def order(self):
        done, seen, stack = [], set(), [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return reversed(done)


# %% = for += task="backward_twice" en="each value adds up what it receives" ko="값마다 받는 것을 +=로 더하고"
class Value(Value):
    def backward(self):
        order = self.order()
        held = {value: value.grad for value in order if not value.parents}
        for value in order:
            value.grad = 0.0
        self.grad = 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad = slope * value.grad
        for leaf, before in held.items():
            leaf.grad += before


# %% no reset task="backward_twice" en="still held what was in it before the call" ko="앞 호출의 값이 섞였습니다" points="1"
class Value(Value):
    def backward(self):
        if self.parents:
            self.grad = 1.0
        else:
            self.grad += 1.0
        for value in self.order():
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% resets the leaves too task="backward_twice" en="leaves add up from call to call" ko="leaf는 호출할 때마다 쌓습니다" points="1"
class Value(Value):
    def backward(self):
        for value in self.order():
            value.grad = 0.0
        self.grad = 1.0
        for value in self.order():
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% forgets the start task="backward_twice" en="self.grad must be 1 before the values pass on" ko="self.grad가 1이어야 합니다"
class Value(Value):
    def backward(self):
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% local slopes only task="backward_twice" en="multiply each by the grad of the value that passes on" ko="넘겨주는 값의 grad를 곱하세요"
class Value(Value):
    def backward(self):
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope


# %% a recursion in the place of the order task="backward_twice" en="passes on once, when its turn in order() comes" ko="차례가 왔을 때 한 번만"
class Value(Value):
    def backward(self):
        for value in self.order():
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0

        def hand_on(value):
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad
            for parent in value.parents:
                hand_on(parent)

        hand_on(self)


# %% a leaf set to 1 task="backward_twice" en="leaves add up from call to call" ko="leaf는 호출할 때마다 쌓습니다" points="1"
class Value(Value):
    def backward(self):
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad = 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% throws intermediate gradients away task="backward_twice" en="the grad of an intermediate value is gone" ko="중간 값의 grad가 사라졌습니다"
class Value(Value):
    def backward(self):
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad
            if value.parents:
                value.grad = 0.0


# %% one edge for each parent task="backward_twice" en="each value adds up what it receives" ko="값마다 받는 것을 +=로 더하고"
class Value(Value):
    def backward(self):
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in order:
            for parent, slope in dict(zip(value.parents, value.slopes, strict=True)).items():
                parent.grad += slope * value.grad


# %% forgets the graph afterwards task="backward_twice" en="data, parents or slopes of a Value were changed" ko="data, parents, slopes 가운데 바뀐 것이"
class Value(Value):
    def backward(self):
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad
        for value in order:
            value.slopes = tuple(0.0 + slope for slope in value.slopes)
            value.data = round(value.grad, 6)


# %% no n before the power task="value_functions" base="own" hint="factor" points="1"
class Value(Value):
    def __pow__(self, number):
        slope = self.data ** (number - 1) if number else 0.0
        return Value(self.data**number, (self,), (slope,))

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% a slope of 1 at the kink task="value_functions" base="own" hint="kink" points="1"
class Value(Value):
    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data >= 0 else 0.0,))


# %% relu lets everything through task="value_functions" base="own" hint="leaky" points="1"
class Value(Value):
    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data else 0.0,))


# %% the logarithm of base ten task="value_functions" base="own" hint="log10" points="1"
class Value(Value):
    def log(self):
        return Value(math.log10(self.data), (self,), (1 / self.data,))

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% the power rule for exp task="value_functions" base="own" hint="inverse" points="1"
class Value(Value):
    def exp(self):
        power = math.exp(self.data)
        return Value(power, (self,), (self.data * math.exp(self.data - 1),))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% powers by way of the logarithm task="value_functions" base="own" en="the call raised an error" ko="오류가 났습니다" points="1"
class Value(Value):
    def __pow__(self, number):
        power = math.exp(number * math.log(self.data))
        return Value(power, (self,), (number * power / self.data,))

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% 0 to the power of 0 task="value_functions" base="own" en="ZeroDivisionError" ko="ZeroDivisionError" points="1"
class Value(Value):
    def __pow__(self, number):
        return Value(self.data**number, (self,), (number * self.data ** (number - 1),))

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% relu returns self task="value_functions" base="own" en="the result is an operand itself" ko="결과가 피연산자 자체이거나" points="1"
class Value(Value):
    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return self if self.data > 0 else Value(0.0, (self,), (0.0,))


# %% never empties task="fit_line" hint="zero"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% the sum for the mean task="fit_line" hint="mean"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% the intercept first task="fit_line" hint="swapped"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return b.data, a.data


# %% returns Values task="fit_line" en="a float was expected" ko="필요한 것은 float입니다"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a, b


# %% uphill task="fit_line" hint="uphill"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data += lr * a.grad
        b.data += lr * b.grad
    return a.data, b.data


# %% one step short task="fit_line" hint="steps"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(1, steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% gradients by hand task="fit_line" hint="count"
def fit_line(points, steps, lr):
    a = b = 0.0
    for _ in range(steps):
        errors = [a * x + b - y for x, y in points]
        to_a = 2 * sum(e * x for e, (x, _) in zip(errors, points, strict=True)) / len(points)
        to_b = 2 * sum(errors) / len(points)
        a, b = a - lr * to_a, b - lr * to_b
    return a, b


# %% moves after every point task="fit_line" hint="once"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        for x, y in points:
            a.grad = b.grad = 0.0
            ((a * x + b - y) ** 2 / len(points)).backward()
            a.data -= lr * a.grad
            b.data -= lr * b.grad
    return a.data, b.data


# %% eats the points task="fit_line" hint="changed"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    points.sort()
    points[:] = [(float(x) + 0.0, float(y)) for x, y in points][::-1]
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% the line goes on from the last call task="fit_line" hint="once"
_line = []


def fit_line(points, steps, lr):
    if not _line:
        _line.extend((Value(0.0), Value(0.0)))
    a, b = _line
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% Values made once, outside the function task="fit_line" hint="count"
class Line(Value):
    def __add__(self, other):
        other = other if isinstance(other, Line) else Line(other)
        return Line(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Line) else Line(other)
        return Line(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, number):
        return Line(self.data**number, (self,), (number * self.data ** (number - 1),))

    def backward(self, arriving=1.0):
        self.grad += arriving
        for parent, slope in zip(self.parents, self.slopes, strict=True):
            parent.backward(arriving * slope)


_a, _b = Line(0.0), Line(0.0)


def fit_line(points, steps, lr):
    _a.data = _b.data = 0.0
    for _ in range(steps):
        loss = sum((_a * x + _b - y) ** 2 for x, y in points) / len(points)
        _a.grad = _b.grad = 0.0
        loss.backward()
        _a.data -= lr * _a.grad
        _b.data -= lr * _b.grad
    return _a.data, _b.data


# %% empties the grad of the operands task="value_add_mul" en="a Value that was only read has changed" ko="읽기만 해야 할 Value가 바뀌었습니다"
class Value(Value):
    def __add__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)
        self.grad = 0.0
        other.grad = 0.0
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)
        self.grad = 0.0
        other.grad = 0.0
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% one object for the same two operands task="value_add_mul" base="own" en="the result is an operand itself" ko="결과가 피연산자 자체이거나" points="1"
class Value(Value):
    def __add__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)
        if not hasattr(self, "_sums"):
            self._sums = {}
        if id(other) not in self._sums:
            self._sums[id(other)] = Value(self.data + other.data, (self, other), (1.0, 1.0))
        return self._sums[id(other)]


# %% adding 0 changes nothing task="value_add_mul" base="own" en="the result is an operand itself" ko="결과가 피연산자 자체이거나" points="1"
class Value(Value):
    def __add__(self, other):
        if isinstance(other, (int, float)):
            if other == 0:
                return self
            other = Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))


# %% equal numbers taken for one Value task="value_add_mul" base="own" en="an operand is not among the result's parents" ko="결과의 부모에 피연산자가 없습니다" points="1"
class Value(Value):
    def __mul__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)
        if other.data == self.data:
            return Value(self.data**2, (self,), (2 * self.data,))
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% rounded to ten decimals task="value_add_mul" en="The value differs" ko="값이 다릅니다"
class Value(Value):
    def __add__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)
        return Value(round(self.data + other.data, 10), (self, other), (1.0, 1.0))

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)
        return Value(round(self.data * other.data, 10), (self, other), (other.data, self.data))


# %% a square with twice its slope for each parent task="value_add_mul" base="own" hint="twice" points="1"
class Value(Value):
    def __mul__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)
        if other is self:
            return Value(self.data**2, (self, self), (2 * self.data, 2 * self.data))
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% a list of children on each operand task="value_add_mul" base="own" en="a Value that was only read has changed" ko="읽기만 해야 할 Value가 바뀌었습니다" points="1"
class Value(Value):
    def __add__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)
        out = Value(self.data + other.data, (self, other), (1.0, 1.0))
        for value in (self, other):
            value.children = [*getattr(value, "children", []), out]
        return out


# %% grad as a mark task="value_order" en="only read its fields" ko="필드를 읽기만 하세요" points="1"
class Value(Value):
    def order(self):
        out, stack = [], [(self, False)]
        while stack:
            v, ready = stack.pop()
            if ready:
                out.append(v)
            elif v.grad != -1:
                v.grad = -1
                stack.append((v, True))
                stack.extend((p, False) for p in v.parents)
        for v in out:
            v.grad = 0.0
        return out[::-1]


# %% the order kept on the Value task="value_order" en="only read its fields" ko="필드를 읽기만 하세요"
class Value(Value):
    def order(self):
        if hasattr(self, "_order"):
            return self._order
        out, stack, seen = [], [(self, False)], set()
        while stack:
            v, ready = stack.pop()
            if ready:
                out.append(v)
            elif v not in seen:
                seen.add(v)
                stack.append((v, True))
                stack.extend((p, False) for p in v.parents)
        self._order = out[::-1]
        return self._order


# %% adds up by the numbers task="backward_twice" en="each value adds up what it receives" ko="값마다 받는 것을 +=로 더하고"
class Value(Value):
    def backward(self):
        order = self.order()
        got = {v.data: 0.0 for v in order}
        got[self.data] = 1.0
        for v in order:
            for p, s in zip(v.parents, v.slopes, strict=True):
                got[p.data] += s * got[v.data]
        for v in order:
            v.grad = got[v.data] + (0.0 if v.parents else v.grad)


# %% stops at a slope of 0 task="backward_twice" en="each value adds up what it receives" ko="값마다 받는 것을 +=로 더하고"
class Value(Value):
    def backward(self):
        order = self.order()
        for v in order:
            if v.parents:
                v.grad = 0.0
        self.grad += 1
        for v in order:
            for p, s in zip(v.parents, v.slopes, strict=True):
                if not s:
                    break
                p.grad += s * v.grad


# %% ends at the first grad of 0 task="backward_twice" en="each value adds up what it receives" ko="값마다 받는 것을 +=로 더하고"
class Value(Value):
    def backward(self):
        order = self.order()
        for v in order:
            if v.parents:
                v.grad = 0.0
        self.grad += 1
        for v in order:
            if v.grad == 0:
                break
            for p, s in zip(v.parents, v.slopes, strict=True):
                p.grad += s * v.grad


# %% a leaf is what has no slope but 0 task="backward_twice" en="still held what was in it before the call" ko="앞 호출의 값이 섞였습니다" points="1"
class Value(Value):
    def backward(self):
        order = self.order()
        for v in order:
            if any(v.slopes):
                v.grad = 0.0
        self.grad = self.grad + 1 if not self.parents else 1.0
        for v in order:
            for p, s in zip(v.parents, v.slopes, strict=True):
                p.grad += s * v.grad


# %% clips what is large task="backward_twice" en="leave nothing out" ko="반올림하거나 빼놓지"
class Value(Value):
    def backward(self):
        order = self.order()
        for v in order:
            if v.parents:
                v.grad = 0.0
        self.grad += 1
        for v in order:
            for p, s in zip(v.parents, v.slopes, strict=True):
                p.grad += s * v.grad
            for p in v.parents:
                p.grad = max(-1000.0, min(1000.0, p.grad))


# %% forgets what is small task="backward_twice" en="do not round, and leave nothing out" ko="반올림하거나 빼놓지"
class Value(Value):
    def backward(self):
        order = self.order()
        for v in order:
            if v.parents:
                v.grad = 0.0
        self.grad += 1
        for v in order:
            for p, s in zip(v.parents, v.slopes, strict=True):
                if abs(s * v.grad) > 1e-9:
                    p.grad += s * v.grad


# %% skips a small slope task="backward_twice" en="leave nothing out" ko="반올림하거나 빼놓지"
class Value(Value):
    def backward(self):
        order = self.order()
        for v in order:
            if v.parents:
                v.grad = 0.0
        self.grad += 1
        for v in order:
            for p, s in zip(v.parents, v.slopes, strict=True):
                if abs(s) > 1e-8:
                    p.grad += s * v.grad


# %% clips what is huge task="backward_twice" en="leave nothing out" ko="반올림하거나 빼놓지"
class Value(Value):
    def backward(self):
        order = self.order()
        for v in order:
            if v.parents:
                v.grad = 0.0
        self.grad += 1
        for v in order:
            for p, s in zip(v.parents, v.slopes, strict=True):
                p.grad = max(-1e12, min(1e12, p.grad + s * v.grad))


# %% exp with a bound task="value_functions" base="own" hint="bound" points="1"
import math


class Value(Value):
    def __pow__(self, number):
        if number == 0:
            return Value(1.0, (self,), (0.0,))
        return Value(self.data**number, (self,), (number * self.data ** (number - 1),))

    def exp(self):
        y = math.exp(max(-500.0, min(500.0, self.data)))
        return Value(y, (self,), (y,))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% exp empties the grad of x task="value_functions" base="own" en="a Value that was only read has changed" ko="읽기만 해야 할 Value가 바뀌었습니다" points="1"
import math


class Value(Value):
    def __pow__(self, number):
        if number == 0:
            return Value(1.0, (self,), (0.0,))
        return Value(self.data**number, (self,), (number * self.data ** (number - 1),))

    def exp(self):
        self.grad = 0.0
        y = math.exp(self.data)
        return Value(y, (self,), (y,))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% relu makes a constant below 0 task="value_functions" base="own" en="an operand is not among the result's parents" ko="결과의 부모에 피연산자가 없습니다" points="1"
import math


class Value(Value):
    def __pow__(self, number):
        if number == 0:
            return Value(1.0, (self,), (0.0,))
        return Value(self.data**number, (self,), (number * self.data ** (number - 1),))

    def exp(self):
        y = math.exp(self.data)
        return Value(y, (self,), (y,))

    def relu(self):
        if self.data > 0:
            return Value(self.data, (self,), (1.0,))
        return Value(0.0)


# %% the power 0 makes a constant task="value_functions" base="own" en="an operand is not among the result's parents" ko="결과의 부모에 피연산자가 없습니다" points="1"
import math


class Value(Value):
    def __pow__(self, number):
        if number == 0:
            return Value(1.0)
        return Value(self.data**number, (self,), (number * self.data ** (number - 1),))

    def exp(self):
        y = math.exp(self.data)
        return Value(y, (self,), (y,))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% a slope of 0 wherever x is 0 task="value_functions" base="own" hint="line" points="1"
import math


class Value(Value):
    def __pow__(self, number):
        y = self.data**number
        slope = number * y / self.data if self.data else 0.0
        return Value(y, (self,), (slope,))

    def exp(self):
        y = math.exp(self.data)
        return Value(y, (self,), (y,))

    def relu(self):
        return Value(max(self.data, 0.0), (self,), (1.0 if self.data > 0 else 0.0,))


# %% relu takes what is small for 0 task="value_functions" base="own" hint="small" points="1"
import math


class Value(Value):
    def __pow__(self, number):
        if number == 0:
            return Value(1.0, (self,), (0.0,))
        return Value(self.data**number, (self,), (number * self.data ** (number - 1),))

    def exp(self):
        y = math.exp(self.data)
        return Value(y, (self,), (y,))

    def relu(self):
        on = self.data > 1e-8
        return Value(self.data if on else 0.0, (self,), (1.0 if on else 0.0,))


# %% a backward() for show task="fit_line" hint="formula"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        loss.backward()
        n = len(points)
        ga = 2 / n * sum(x * (a.data * x + b.data - y) for x, y in points)
        gb = 2 / n * sum(a.data * x + b.data - y for x, y in points)
        a, b = Value(a.data - lr * ga), Value(b.data - lr * gb)
    return a.data, b.data


# %% clips the gradient task="fit_line" hint="shared"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        a.grad = b.grad = 0.0
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        loss.backward()
        a.data -= lr * max(-100, min(100, a.grad))
        b.data -= lr * max(-100, min(100, b.grad))
    return a.data, b.data


# %% another method when there are many steps task="fit_line" hint="once"
def fit_line(points, steps, lr):
    import numpy as np

    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        a.grad = b.grad = 0.0
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    if steps >= 100 and len(points) > 1:
        a.data, b.data = (float(v) for v in np.polyfit([p[0] for p in points], [p[1] for p in points], 1))
    return a.data, b.data


# %% one loss for all steps task="fit_line" hint="anew"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
    for _ in range(steps):
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% one Value for both parameters task="fit_line" hint="shared"
def fit_line(points, steps, lr):
    a = b = Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% rounded to four decimals task="fit_line" hint="all"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        a.grad = b.grad = 0.0
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return round(a.data, 4), round(b.data, 4)


# %% only one of the two buffers emptied task="fit_line" hint="zero"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        a.grad = 0.0
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% pops the points task="fit_line" hint="changed"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    mine = []
    while points:
        mine.append(points.pop(0))
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in mine) / len(mine)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% one call on a chain task="which_bug" hint="meet"
def which_bug(Engine):
    x = Engine(5.0)
    (x**3).log().backward()
    return "none" if abs(x.grad - 0.6) < 1e-9 else "assign"


# %% the uneven graph first task="which_bug" hint="even"
def which_bug(Engine):
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if x.grad != 84:
        return "assign"
    w.backward()
    return "none" if x.grad == 168 else "kept"


# %% whatever one call shows is the order task="which_bug" hint="first"
def which_bug(Engine):
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if x.grad != 84:
        return "breadth"
    w.backward()
    return "none" if x.grad == 168 else "kept"


# %% only one call task="which_bug" hint="twice"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    (u**2 + u * x**3).backward()
    if x.grad != 112:
        return "assign"
    x = Engine(2.0)
    y = x**2
    (y * (y * x) + y).backward()
    return "none" if x.grad == 84 else "breadth"


# %% two calls without an intermediate value task="which_bug" hint="twice"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    (u**2 + u * x**3).backward()
    if x.grad != 112:
        return "assign"
    x = Engine(2.0)
    y = x**2
    (y * (y * x) + y).backward()
    if x.grad != 84:
        return "breadth"
    x = Engine(2.0)
    y = x**3
    y.backward()
    y.backward()
    return "none" if x.grad == 24 else "kept"


# %% paths of one length in both graphs task="which_bug" hint="uneven"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    w = u**2 + u * x**3
    w.backward()
    if x.grad != 112:
        return "assign"
    x = Engine(5.0)
    ((x**3).log() + (x**2) ** 0.5).backward()
    if abs(x.grad - 1.6) > 1e-9:
        return "breadth"
    x = Engine(5.0)
    w = (x**3).log()
    w.backward()
    w.backward()
    return "none" if abs(x.grad - 1.2) < 1e-9 else "kept"


# %% paths meet at the leaf alone task="which_bug" hint="first"
def which_bug(Engine):
    x = Engine(2.0)
    (x**2 + x**3).backward()
    if x.grad != 16:
        return "assign"
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if x.grad != 84:
        return "breadth"
    w.backward()
    return "none" if x.grad == 168 else "kept"


# %% paths meet inside alone task="which_bug" hint="first"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    (u**2 + u**3).backward()
    if x.grad != 224:
        return "assign"
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if x.grad != 84:
        return "breadth"
    w.backward()
    return "none" if x.grad == 168 else "kept"


# %% squares for paths that meet task="which_bug" hint="first"
def which_bug(Engine):
    x = Engine(2.0)
    u = x * x
    (u * u).backward()
    if x.grad != 32:
        return "assign"
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if x.grad != 84:
        return "breadth"
    w.backward()
    return "none" if x.grad == 168 else "kept"


# %% always two calls task="which_bug" hint="early"
def which_bug(Engine):
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    w.backward()
    return "none" if x.grad == 168 else "kept"


# %% knows the wrong numbers of one order task="which_bug" hint="uneven"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    (u**2 + u * x**3).backward()
    if x.grad != 112:
        return "assign"
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if x.grad == 52:
        return "breadth"
    x = Engine(2.0)
    w = (x**2) ** 2
    w.backward()
    w.backward()
    return "none" if x.grad == 64 else "kept"


# %% expects three times the slope of what is kept task="which_bug" hint="twice"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    (u**2 + u * x**3).backward()
    if x.grad != 112:
        return "assign"
    x = Engine(2.0)
    y = x**2
    (y * (y * x) + y).backward()
    if x.grad != 84:
        return "breadth"
    x = Engine(2.0)
    w = (x**2) ** 2
    w.backward()
    w.backward()
    return "kept" if x.grad == 96 else "none"


# %% a subtraction makes a path longer task="which_bug" hint="even"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    (u**2 - u * x**3 + u**3).backward()
    if x.grad != 32 - 80 + 192:
        return "assign"
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if x.grad != 84:
        return "breadth"
    w.backward()
    return "none" if x.grad == 168 else "kept"


# %% says only whether it is right task="which_bug" en="a str was expected" ko="필요한 것은 str입니다"
def which_bug(Engine):
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    w.backward()
    return x.grad == 168


# %% forgets that leaves add up task="which_bug" hint="right"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    w = u**2 + u * x**3
    w.backward()
    if x.grad != 112:
        return "assign"
    w.backward()
    return "none" if x.grad == 112 else "kept"


# %% times 1 is the same Value task="value_add_mul" base="own" en="the result is an operand itself" ko="결과가 피연산자 자체이거나" points="1"
class Value(Value):
    def __mul__(self, other):
        if isinstance(other, (int, float)) and other == 1:
            return self
        other = Value(other) if isinstance(other, (int, float)) else other
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% a sum of sums with the parents of both task="value_add_mul" en="the parents are the operands, not what these were made from" ko="피연산자를 만든 값은 넣지 마세요" points="1"
class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        parents, slopes = (), ()
        for one in (self, other):
            parents += one.parents or (one,)
            slopes += one.slopes or (1.0,)
        return Value(self.data + other.data, parents, slopes)

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% a new leaf in the place of what has parents task="value_add_mul" en="an operand is not among the result's parents" ko="결과의 부모에 피연산자가 없습니다" points="1"
class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        parents = tuple(Value(one.data) if one.parents else one for one in (self, other))
        return Value(self.data * other.data, parents, (other.data, self.data))


# %% slopes as far as the leaf task="value_add_mul" base="a new leaf in the place of what has parents" hint="chain" points="1"
class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        inner = [one.slopes[0] if one.slopes else 1.0 for one in (self, other)]
        return Value(self.data * other.data, (self, other), (other.data * inner[0], self.data * inner[1]))


# %% an operand forgets its parents task="value_add_mul" base="a sum of sums with the parents of both" en="a Value that was only read has changed" ko="읽기만 해야 할 Value가 바뀌었습니다" points="1"
class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), (1.0, 1.0))
        self.parents, self.slopes = (), ()
        return out


# %% a square of what has parents task="value_add_mul" base="a new leaf in the place of what has parents" en="the parents are the operands, not what these were made from" ko="피연산자를 만든 값은 넣지 마세요" points="1"
class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        if other is self and self.parents:
            return Value(self.data**2, self.parents, tuple(2 * self.data * slope for slope in self.slopes))
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% level by level, each Value once a level task="value_order" en="it took too many steps" ko="너무 오래 걸렸습니다" points="2"
class Value(Value):
    def order(self):
        level, at, depth = {self: 0}, [self], 0
        while at:
            below, depth = {}, depth + 1
            for value in at:
                for parent in value.parents:
                    below[parent] = None
            for parent in below:
                level[parent] = depth
            at = list(below)
        return sorted(level, key=level.get)


# %% every longer way is followed again task="value_order" en="it took too many steps" ko="너무 오래 걸렸습니다" points="2"
class Value(Value):
    def order(self):
        longest, todo = {self: 0}, [self]
        while todo:
            value = todo.pop()
            for parent in value.parents:
                if longest.get(parent, -1) < longest[value] + 1:
                    longest[parent] = longest[value] + 1
                    todo.append(parent)
        return sorted(longest, key=longest.get)


# %% lists kept from call to call task="value_order" en="of an earlier call is still in use" ko="앞 호출에서 쓴 리스트나 집합을"
class Value(Value):
    def order(self, seen=set(), done=[]):
        stack = [(self, False)]
        while stack:
            value, ready = stack.pop()
            if ready:
                done.append(value)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        return done[::-1]


# %% from the leaves to self task="backward_twice" en="from its beginning, not from its end" ko="뒤집지 말고 앞에서부터"
class Value(Value):
    def backward(self):
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in reversed(order):
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% True for 1 task="backward_twice" en="a grad must be a float, not a bool" ko="grad에는 bool 말고 float를"
class Value(Value):
    def backward(self):
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = value is self
        if not self.parents:
            self.grad += 1
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% the order of the first call for all task="backward_twice" en="not one kept from an earlier call" ko="앞 호출의 순서를 계속 쓰지 말고"
class Value(Value):
    def backward(self, order=[]):
        if not order:
            order += self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% the reset in the loop that passes on task="backward_twice" en="reset all values before the first one passes on" ko="하나라도 넘겨주기 전에 모두 비우"
class Value(Value):
    def backward(self):
        for value in self.order():
            if value.parents:
                value.grad = 1.0 if value is self else 0.0
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% only the first call task="backward_twice" en="this call changed nothing" ko="이 호출에서는 아무것도 바뀌지 않았습니다" points="1"
class Value(Value):
    def backward(self):
        if self.grad == 1.0:
            return
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% an order of its own, by a recursion task="backward_twice" hint="deep" points="2"
class Value(Value):
    def backward(self):
        order, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for parent in value.parents:
                    visit(parent)
                order.append(value)

        visit(self)
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad += 1.0
        for value in reversed(order):
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% each path by itself task="backward_twice" en="it took too many steps" ko="너무 오래 걸렸습니다"
class Value(Value):
    def backward(self):
        found, todo = {}, [(self, 1.0)]
        while todo:
            value, arrived = todo.pop()
            found[value] = found.get(value, 0.0) + arrived
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                todo.append((parent, slope * arrived))
        for value, total in found.items():
            value.grad = total if value.parents else value.grad + total


# %% the parents of x in the place of x task="value_functions" en="the parents are the operands, not what these were made from" ko="피연산자를 만든 값은 넣지 마세요"
class Value(Value):
    def one(self, data, slope):
        if self.parents:
            return Value(data, self.parents, tuple(slope * inner for inner in self.slopes))
        return Value(data, (self,), (slope,))

    def __pow__(self, number):
        return self.one(self.data**number, number * self.data ** (number - 1) if number else 0.0)

    def log(self):
        return self.one(math.log(self.data), 1 / self.data)

    def exp(self):
        return self.one(math.exp(self.data), math.exp(self.data))

    def relu(self):
        return self.one(max(0.0, self.data), 1.0 if self.data > 0 else 0.0)


# %% the slope as far as the leaf task="value_functions" base="the parents of x in the place of x" hint="chain"
class Value(Value):
    def one(self, data, slope):
        inner = self.slopes[0] if self.slopes else 1.0
        return Value(data, (self,), (slope * inner,))


# %% a new leaf where x has parents task="value_functions" base="the parents of x in the place of x" en="an operand is not among the result's parents" ko="결과의 부모에 피연산자가 없습니다"
class Value(Value):
    def one(self, data, slope):
        return Value(data, (Value(self.data) if self.parents else self,), (slope,))


# %% half the squared errors task="fit_line" hint="half"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / (2 * len(points))
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% the best line on the way task="fit_line" hint="all"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    best = None
    for step in range(steps + 1):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        if best is None or loss.data < best[0]:
            best = (loss.data, a.data, b.data)
        if step < steps:
            a.grad = b.grad = 0.0
            loss.backward()
            a.data -= lr * a.grad
            b.data -= lr * b.grad
    return best[1:]


# %% a constant has the slope 0 task="value_add_mul" hint="other"
class Value(Value):
    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other, (self, Value(other)), (1.0, 0.0))
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value(self.data * other, (self, Value(other)), (other, 0.0))
        return Value(self.data * other.data, (self, other), (other.data, self.data))


# %% a leaf as self is left out task="backward_twice" en="self is a leaf: its grad grows by 1" ko="self가 leaf입니다. grad가 1만큼 커져야 합니다" points="1"
class Value(Value):
    def backward(self):
        if not self.parents:
            return
        order = self.order()
        for value in order:
            if value.parents:
                value.grad = 0.0
        self.grad = 1.0
        for value in order:
            for parent, slope in zip(value.parents, value.slopes, strict=True):
                parent.grad += slope * value.grad


# %% the power as a product of products task="value_functions" base="own" hint="factor" points="1"
class Value(Value):
    def __pow__(self, number):
        out = Value(1.0)
        for _ in range(int(abs(number))):
            out = Value(out.data * self.data, (out, self), (self.data, out.data))
        return out if number >= 0 else Value(1 / out.data, (out,), (-1 / out.data**2,))

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(0.0, self.data), (self,), (1.0 if self.data > 0 else 0.0,))


# %% empties before it moves task="fit_line" hint="steps"
def fit_line(points, steps, lr):
    a, b = Value(0.0), Value(0.0)
    for _ in range(steps):
        loss = sum((a * x + b - y) ** 2 for x, y in points) / len(points)
        loss.backward()
        a.grad = b.grad = 0.0
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% a loss that grows from step to step task="fit_line" hint="zero"
def fit_line(points, steps, lr):
    a, b, loss = Value(0.0), Value(0.0), Value(0.0)
    for _ in range(steps):
        for x, y in points:
            loss = loss + (a * x + b - y) ** 2 / len(points)
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= lr * a.grad
        b.data -= lr * b.grad
    return a.data, b.data


# %% paths that differ by one edge task="which_bug" hint="uneven"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    (u**2 + u * x**3).backward()
    if abs(x.grad - 112) > 1e-9:
        return "assign"
    x = Engine(2.0)
    y = x**2
    (y + y**3).backward()
    if abs(x.grad - 196) > 1e-9:
        return "breadth"
    x = Engine(3.0)
    w = (x**2) ** 2
    w.backward()
    w.backward()
    return "none" if abs(x.grad - 216) < 1e-9 else "kept"


# %% a sum of three makes paths longer task="which_bug" hint="even"
def which_bug(Engine):
    x = Engine(2.0)
    u = x**2
    (u**3 + u**2 + u * 3).backward()
    if abs(x.grad - 236) > 1e-9:
        return "assign"
    x = Engine(2.0)
    (x**2 + x**3).backward()
    if abs(x.grad - 16) > 1e-9:
        return "assign"
    x = Engine(2.0)
    y = x**2
    w = y * (y * x) + y
    w.backward()
    if abs(x.grad - 84) > 1e-9:
        return "breadth"
    w.backward()
    return "none" if abs(x.grad - 168) < 1e-9 else "kept"
