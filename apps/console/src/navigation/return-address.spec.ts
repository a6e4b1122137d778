import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepReturnAddress, restoreAddress } from './return-address.ts';

const page = globalThis as unknown as Record<'location' | 'history' | 'sessionStorage', unknown>;

describe('the address that is left for the OpenID provider', () => {
  let shown: string[];
  let kept: Map<string, string>;
  beforeEach(() => {
    shown = [];
    kept = new Map();
    page.sessionStorage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    };
    page.history = { replaceState: (_: unknown, __: string, address: string) => shown.push(address) };
  });
  afterEach(() => {
    for (const name of ['location', 'history', 'sessionStorage'] as const) Reflect.deleteProperty(page, name);
  });
  const comeTo = (pathname: string, search = '', hash = ''): void => {
    page.location = { pathname, search, hash };
  };

  it('is shown again on the way back, once', () => {
    comeTo('/playground', '?decision=a', '#s=b');
    keepReturnAddress();
    comeTo('/');
    restoreAddress();
    restoreAddress();
    expect(shown).toEqual(['/playground?decision=a#s=b']);
  });

  it('waits where one comes to another page', () => {
    comeTo('/audit');
    keepReturnAddress();
    comeTo('/sources');
    restoreAddress();
    expect(shown).toEqual([]);
    comeTo('/');
    restoreAddress();
    expect(shown).toEqual(['/audit']);
  });

  it.each(['//evil.example/', 'https://evil.example/', ''])(
    'is left alone where it is none of ours: %j',
    (address) => {
      comeTo('/');
      kept.set('plimsoll.return', address);
      restoreAddress();
      expect(shown).toEqual([]);
    },
  );

  it('is left where the browser keeps nothing', () => {
    page.sessionStorage = undefined;
    comeTo('/audit');
    expect(() => keepReturnAddress()).not.toThrow();
    comeTo('/');
    expect(() => restoreAddress()).not.toThrow();
  });
});
