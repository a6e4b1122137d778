import { expect, it } from '@jest/globals';
import { readHold } from './hold-reading.ts';

type Hold = Parameters<typeof readHold>[0];

function anEffect(name: string): Hold['effects'][number] {
  const policy = { namespace: 'shop', name };
  const unchanged = { target: null, team: null, present: null, now: null, then: null };
  return { policy, ...unchanged, direction: 'Unknown', changes: [], notes: [], later: [] };
}

it('leaves out of the causes what the list of policies says, and puts warnings beside their policies', () => {
  const hold: Hold = {
    effects: [anEffect('checkout'), anEffect('extra-1')],
    causes: [
      {
        code: 'BlastRadius',
        message: '2 targets change',
        items: ['shop/checkout changed', 'shop/extra-1 new'],
      },
      {
        code: 'ScaleInByBound',
        message: 'a bound',
        items: ['shop/checkout maxReplicas 20 → 5 (14 present)'],
      },
      { code: 'PruneToEmpty', message: 'it would be empty', items: ['shop/extra-1'] },
    ],
  };
  const { causes, warnings } = readHold(hold);
  expect(causes.map(({ items }) => items)).toEqual([[], [], []]);
  expect([...warnings]).toEqual([['shop/checkout', ['maxReplicas 20 → 5 (14 present)']]]);
});

it('keeps what is about no policy that is listed, by name as people count', () => {
  const items = ['shop/extra-10 new', 'shop/extra-2 new'];
  const hold: Hold = {
    effects: [anEffect('checkout')],
    causes: [{ code: 'BlastRadius', message: '', items }],
  };
  expect(readHold(hold).causes[0]?.items).toEqual(items.toReversed());
});
