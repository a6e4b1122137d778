import type { FactoryProvider, Type } from '@nestjs/common';

/** An injection token of a port: interfaces do not exist at run time, so that a class cannot stand for one. */
export type PortToken<T> = symbol & { readonly port?: T };

/** Names a port's injection token. */
export function portToken<T>(name: string): PortToken<T> {
  return Symbol(name);
}

type Token<T> = PortToken<T> | Type<T> | (abstract new (...args: never[]) => T);

/** The tokens of a factory's dependencies, under the names that the factory uses. */
type TokensOf<D> = { readonly [K in keyof D]: Token<D[K]> };

/**
 * A provider made by a factory: `make` gets the dependencies by name, type-checked, so that classes outside Nest's
 * layer take plain arguments. A factory constructs and never connects; what opens something is a step of the start.
 */
export function factoryProvider<T, D extends object>(
  provide: Token<T>,
  dependencies: TokensOf<D>,
  make: (dependencies: D) => T,
): FactoryProvider<T> {
  const names = Object.keys(dependencies) as (keyof D)[];
  return {
    provide,
    inject: names.map((name) => dependencies[name]),
    useFactory: (...values: readonly unknown[]) =>
      make(Object.fromEntries(names.map((name, index) => [name, values[index]])) as D),
  };
}
