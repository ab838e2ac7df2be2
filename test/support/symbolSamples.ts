/** A real-looking file of each language with everything that its reader knows. */
export const samples = {
  "cart.ex": `defmodule Shop.Cart do
  use Ecto.Schema
  alias Shop.{Item, Order}
  alias Shop.Repo, as: R
  import Ecto.Query, only: [from: 2]
  @behaviour Shop.Store
  @timeout 5000
  @timeout 6000
  defstruct [:id, total: 0]
  @type t :: %__MODULE__{}
  @callback open(id :: integer, opts :: keyword) :: t
  @spec add(t, Item.t()) :: t
  def add(cart, item, opts \\\\ [])
  def add(cart, %Item{} = item, opts) when is_list(opts), do: R.insert(cart, item, on: :nothing) |> Order.total()
  def empty?, do: Enum.map([], &__MODULE__.add/2)
  defp total(%{a: a}), do: a
  defmacro with_cart(do: block), do: block
  def a + b, do: a
  if Mix.env() == :dev do
    def seed(n), do: n
  end
  defmodule Line do
    defexception [:message]
    def cost(line), do: line
  end
end

defimpl Enumerable, for: Shop.Cart do
  def count(cart), do: cart
end

defprotocol Shop.Priced do
  def price(thing)
end
`,
  "cart.rb": `require "json"
require_relative "line"
autoload :Order, "shop/order"
module Shop
  class Cart < Base::Thing
    include Comparable
    LIMIT = 3
    attr_reader :items
    def initialize(owner, limit = 1, *rest, key:, opt: 2, **more, &block)
      self.total(1, key: 2)
      Order.new(1, *rest)
      helper owner, b: 1
    end
    def self.build(...) = new(...)
    class << self
      def meta; end
    end
    private
    def secret; end
    protected def kin(a); end
    public
    def shown; end
    private :shown
    delegate :size, to: :items
  end
  Point = Struct.new(:x) do
    def dist(other) = 1
  end
end
def top(a) = a
`,
  "Cart.swift": `import Foundation
@testable import Shop
public protocol Shape: AnyObject {
  var area: Double { get }
  func draw(at point: Point, _ scale: Double) throws -> Int
}
public final class Circle<T>: Base<T>, Shape {
  private let radius: Double = 1, y = 2
  init(radius r: Double, _ n: Int = 3, names: String...) { }
  func grow(by amount: Double) async throws -> Int { self.shrink(by: 1); return Circle.make(2) { } }
  enum State: String { case on, off(code: Int, Int = 1); case idle = "x" }
  struct Inner { typealias K = Int }
}
extension Circle: Codable { fileprivate func \`default\`() {} }
func top(a: Int, b c: Int = 2) {}
let g = 1
`,
  "Cart.kt": `package com.shop.cart

import com.shop.Item
import com.shop.util.*
import com.shop.Order as O

const val LIMIT = 3
typealias Handler = (Int) -> Unit

sealed interface Shape : Base<Int> {
    fun area(): Double
}

data class Cart(val id: Int, private var total: Double = 0.0, vararg xs: Int) : Base(id), Shape {
    val size: Int get() = 1
    private suspend fun <T> add(item: Item, count: Int = 1, vararg more: Item): Int {
        return this.count(item, k = 1, *more)
    }

    companion object {
        fun create() = Cart(1)
    }

    enum class State(val v: Int) {
        ON(1),
        OFF(2)
    }
}

internal fun String.shout(times: Int): String = O.run(1) { times }

object Single : Base()
`,
  "cart.c": `#include <stdio.h>
#include "shop/line.h"
#ifndef CART_C
#define CART_C
#endif
#define LIMIT 3
#define SUM(x, ...) ((x) + 1)
typedef struct line { int cost; struct line *next; } line_t;
typedef struct { int id; int (*cmp)(int, char); } cart_t;
typedef int (*handler)(int);
enum color { RED, GREEN = 2 };
extern int counter;
static const int limit = 1, *p = 0;
static int *add(int a, const char *b, ...);
void proto(void);
static int *add(int a, const char *b, ...) {
#define INNER 4
  return sub(a, *b);
}
int any();
#ifdef X
int one(cart_t *cart) { cart->cmp(1, 2); return add(1, 2); }
#else
int other(cart_t *cart) { return 1; }
#endif
`,
  "cart.hpp": `#include "a/b.h"
using std::vector;
using namespace shop;
namespace shop::inner {
template <typename T> class Box : public Base<T>, private detail::Other {
  int hidden;
 public:
  explicit Box(int a = 1, T&& b = {});
  ~Box();
  virtual void draw(int x) const = 0;
  bool operator==(const Box& o) const;
  enum class Kind { A, B };
  using value_type = T;
  auto trail() -> int { this->draw(1); return Box::make(2).field; }
};
template <typename T> T largest(T a, T b) { return a; }
namespace { int own(int a) { return 1; } }
}
void shop::inner::Box<std::pair<int, int>>::draw(int x) const { run<int>(7); new Box(6); }
BEGIN_MACRO
namespace late
{
int reached(int a) { return 1; }
}
class EXPORT Shown {
public:
  void go(int a);
};
`,
  "Cart.cs": `using System;
using static System.Math;
using J = Newtonsoft.Json;
namespace Shop.Carts;
public interface IShape<T> : IBase { double Area(int x); int P { get; } }
internal abstract class Cart<T> : Base<T>, IShape<T> {
  public const int Limit = 3, Other = 4;
  private readonly int _id = 1;
  public int Total { get; private set; } = 0;
  public Cart(int id, string name = null, params int[] rest) : base(id) { }
  public static async Task<int> Add(Item item, ref int count, T z = default) { await this.Go(item, count: 1); return new Cart<int>(1).Total; }
  public static int Twice(this Item item, int x) => x;
  void Over(int a) { }
  void Over(string a) { }
  enum State { On, Off = 2 }
  protected internal struct Inner { public int A; }
}
public record Person(string Name, int Age = 1) : Base(Name);
#if NET
class Conditional { }
#endif
`,
  "Cart.php": `<?php
namespace App\\Models;
use Foo\\Bar;
use Foo\\{A, B as C};
use function Foo\\helper;
require_once __DIR__ . '/x.php';
const LIMIT = 3;
define('OLD', 1);
interface Shape extends X { public function area(): float; const K = 1; }
enum Suit: string { case Hearts = 'h'; }
abstract class Cart extends Model implements A {
  use SoftDeletes;
  protected static ?int $count = 0, $o;
  public function __construct(private readonly int $id, ?string $name = null, string ...$rest) {}
  public static function make(int $a): static { return new Bar($a, name: 'x', ...$b); }
  abstract protected function go();
  function plain() { $this->make(1); self::make(2); Cart::make(3); helper(1); $this->go(...); }
}
if (!function_exists('late')) { function late($a, $b = 1) {} }
`
} as const
