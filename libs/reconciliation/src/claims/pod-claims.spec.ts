import { describe, expect, it } from '@jest/globals';
import { PodClaims } from './pod-claims.ts';

const claim = (name: string, podNames: readonly string[], namespace = 'shop') => ({
  key: `${namespace}/${name}`,
  namespace,
  target: { apiVersion: 'apps/v1', kind: 'Deployment', name },
  podNames,
});

describe('PodClaims', () => {
  it('names the policies that share a pod, sorted', () => {
    const claims = new PodClaims();
    for (const given of [claim('c', ['p1']), claim('a', ['p1', 'p2']), claim('b', ['p2'])])
      claims.claim(given);
    expect(claims.competitorsOf('shop/a')).toEqual(['shop/b', 'shop/c']);
    expect(claims.competitorsOf('shop/b')).toEqual(['shop/a']);
  });

  it('keeps namespaces apart', () => {
    const claims = new PodClaims();
    claims.claim(claim('a', ['p1']));
    claims.claim(claim('b', ['p1'], 'other'));
    expect(claims.competitorsOf('shop/a')).toEqual([]);
  });

  it('leaves a policy of the same target out', () => {
    const claims = new PodClaims();
    claims.claim(claim('a', ['p1']));
    claims.claim({
      ...claim('b', ['p1']),
      target: { apiVersion: 'apps/v1beta1', kind: 'Deployment', name: 'a' },
    });
    expect(claims.competitorsOf('shop/a')).toEqual([]);
  });

  it('forgets pods that a newer claim does not name, and released policies', () => {
    const claims = new PodClaims();
    claims.claim(claim('a', ['p1', 'p2']));
    claims.claim(claim('b', ['p2']));
    claims.claim(claim('a', ['p1']));
    expect(claims.competitorsOf('shop/a')).toEqual([]);
    claims.claim(claim('a', ['p2']));
    claims.release('shop/b', 'shop');
    expect(claims.competitorsOf('shop/a')).toEqual([]);
  });

  it('awaits every expected policy of the namespace until it has looked or gone', () => {
    const claims = new PodClaims();
    for (const key of ['shop/a', 'shop/b']) claims.expect(key, 'shop');
    expect([claims.awaitedIn('shop'), claims.awaitedIn('other')]).toEqual([['shop/a', 'shop/b'], []]);
    claims.claim(claim('a', []));
    expect(claims.awaitedIn('shop')).toEqual(['shop/b']);
    claims.release('shop/b', 'shop');
    expect(claims.awaitedIn('shop')).toEqual([]);
  });
});
