import { describe, expect, it } from '@jest/globals';
import { defaultRepositoryLimits, type Overlays, readOverlaysInSteps, type TreeFile } from '#repository';

/** Where time grows with the square of it, nothing else of the controller runs for half a minute. */
const length = 20_000;

const encoder = new TextEncoder();

/** Kustomizations of which each lists the next, and what the last one lists. */
function readChain(last: string): { readonly overlays: Overlays; readonly steps: number } {
  const texts = Array.from(
    { length },
    (_, index) => `resources: [${index + 1 < length ? `../k${index + 1}` : last}]\n`,
  );
  const tree = texts.map((_, index): TreeFile => ({
    path: `k${index}/kustomization.yaml`,
    id: String(index),
    type: 'File',
  }));
  const reading = readOverlaysInSteps({
    tree: [...tree, { path: `k${length - 1}/a.yaml`, id: 'a', type: 'File' }],
    content: ({ id }) => ({ kind: 'Bytes', bytes: encoder.encode(texts[Number(id)] ?? '') }),
    options: { path: '', include: [], exclude: [], tenants: [], limits: defaultRepositoryLimits },
    ignoreFiles: [],
  });
  let steps = 0;
  let step = reading.next();
  for (; step.done !== true; step = reading.next()) steps += 1;
  return { overlays: step.value, steps };
}

describe('a chain of kustomizations', () => {
  it('takes steps in proportion to its length, and gives no policy', () => {
    const { overlays, steps } = readChain('a.yaml');
    expect(steps).toBeLessThan(20 * length);
    expect(overlays.diagnostics).toEqual([]);
    expect(overlays.effectOn(`k${length - 1}/a.yaml`, 'shop')).toMatchObject({ reason: 'NeedsRendering' });
  }, 60_000);

  it('that ends in its beginning is reported at each of them', () => {
    const { overlays, steps } = readChain('../k0');
    expect(steps).toBeLessThan(20 * length);
    expect(overlays.diagnostics).toHaveLength(length);
    expect(overlays.diagnostics.at(-1)).toMatchObject({
      code: 'KustomizationCycle',
      message: 'it lists k0/kustomization.yaml, which lists it in turn',
    });
  }, 60_000);
});

it('a kustomization that lists what is not there half a million times gives a hundred warnings and their count', () => {
  const text = `resources: [${'a,'.repeat(500_000)}b]\n`;
  const reading = readOverlaysInSteps({
    tree: [{ path: 'kustomization.yaml', id: 'k', type: 'File' }],
    content: () => ({ kind: 'Bytes', bytes: encoder.encode(text) }),
    options: { path: '', include: [], exclude: [], tenants: [], limits: defaultRepositoryLimits },
    ignoreFiles: [],
  });
  let step = reading.next();
  while (step.done !== true) step = reading.next();
  const { diagnostics } = step.value;
  expect(diagnostics).toHaveLength(101);
  expect(diagnostics.at(-1)).toMatchObject({
    severity: 'warning',
    code: 'TooMany',
    file: 'kustomization.yaml',
    message: 'the kustomization has 500001 warnings, of which 100 are reported',
  });
}, 60_000);
