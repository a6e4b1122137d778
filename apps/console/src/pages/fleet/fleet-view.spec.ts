import { describe, expect, it } from '@jest/globals';
import { restOf } from '../../messages/states.ts';
import { addPage, type FleetRow, rowKey, withScalings } from './fleet-rows.ts';
import { parametersOf, viewOf } from './fleet-url.ts';
import { countStates, type FleetView, isTroubled, shownStates, viewFleet } from './fleet-view.ts';

function aRow(given: Partial<FleetRow> & { readonly name: string }): FleetRow {
  return {
    id: `policy:shop/${given.name}`,
    namespace: 'shop',
    label: null,
    actuation: 'Scale',
    inForce: { minReplicas: 1, maxReplicas: 10 },
    states: [],
    origin: { source: 'policies' },
    status: {
      time: '2026-11-22T03:12:00Z',
      message: '',
      replicas: 2,
      statusReplicas: 2,
      ...{ evaluatedBy: 'ThisReplica' as const, shard: 0 },
    },
    history: [],
    ...given,
  };
}

const all: FleetView = {
  search: '',
  namespace: '',
  source: '',
  states: [],
  labelled: '',
  grouping: 'none',
  order: 'name',
  label: 'team',
};

const rows = [
  aRow({ name: 'web', states: ['AtMaximum', 'Short'], label: 'front' }),
  aRow({ name: 'api', states: ['Suspended'], namespace: 'billing' }),
  aRow({ name: 'batch', origin: { source: 'other' }, label: 'data' }),
  aRow({ name: 'cart', states: ['AtMaximum'] }),
];

const shown = (view: Partial<FleetView>) =>
  viewFleet(rows, { ...all, ...view }).map(({ name, rows: members }) => [name, ...members.map(rowKey)]);

describe('the fleet', () => {
  it.each([
    {
      name: 'everything by name',
      view: {},
      want: [['', 'billing/api', 'shop/batch', 'shop/cart', 'shop/web']],
    },
    {
      name: 'words of the name in any order',
      view: { search: 'B shop' },
      want: [['', 'shop/batch', 'shop/web']],
    },
    { name: 'a namespace', view: { namespace: 'billing' }, want: [['', 'billing/api']] },
    { name: 'a source', view: { source: 'other' }, want: [['', 'shop/batch']] },
    {
      name: 'all of several states',
      view: { states: ['AtMaximum', 'Short'] as const },
      want: [['', 'shop/web']],
    },
    { name: 'a team', view: { labelled: 'front' }, want: [['', 'shop/web']] },
    { name: 'a word of the team', view: { search: 'dat' }, want: [['', 'shop/batch']] },
    { name: 'nothing', view: { search: 'none' }, want: [] },
    {
      name: 'the most pressing first',
      view: { order: 'state' as const },
      want: [['', 'shop/web', 'shop/cart', 'billing/api', 'shop/batch']],
    },
    {
      name: 'groups by label, those without one last',
      view: { grouping: 'label' as const },
      want: [
        ['data', 'shop/batch'],
        ['front', 'shop/web'],
        ['', 'billing/api', 'shop/cart'],
      ],
    },
    {
      name: 'groups by the most pressing state',
      view: { grouping: 'state' as const },
      want: [
        ['Short', 'shop/web'],
        ['AtMaximum', 'shop/cart'],
        ['Suspended', 'billing/api'],
        ['', 'shop/batch'],
      ],
    },
  ])('shows $name', ({ view, want }) => {
    expect(shown(view)).toEqual(want);
  });

  it('counts states with the most pressing first', () => {
    expect([...countStates(rows)]).toEqual([
      ['Short', 1],
      ['AtMaximum', 2],
      ['Suspended', 1],
    ]);
  });

  const { status } = rows[0]!;
  const undecided = [
    aRow({ name: 'first' }),
    aRow({ name: 'new', status: null }),
    aRow({ name: 'stuck', status, states: ['Suspended', 'Waiting'] }),
    aRow({ name: 'failed', status, states: ['Failing'] }),
  ];

  it('counts, narrows to and groups what could not be decided, and what was not yet', () => {
    expect(undecided.map(shownStates)).toEqual([[], ['NotEvaluated'], ['Waiting', 'Suspended'], ['Failing']]);
    expect([...countStates(undecided)]).toEqual([
      ['Failing', 1],
      ['Waiting', 1],
      ['Suspended', 1],
      ['NotEvaluated', 1],
    ]);
    const view = (given: Partial<FleetView>) =>
      viewFleet(undecided, { ...all, ...given }).map(({ name, rows: members }) => [
        name,
        ...members.map((row) => row.name),
      ]);
    expect(view({ states: ['Waiting'] })).toEqual([['', 'stuck']]);
    expect(view({ grouping: 'state' })).toEqual([
      ['Failing', 'failed'],
      ['Waiting', 'stuck'],
      ['NotEvaluated', 'new'],
      ['', 'first'],
    ]);
  });

  it('what operators have done wants nobody, and what could not be decided does', () => {
    expect(undecided.filter(isTroubled).map(({ name }) => name)).toEqual(['stuck', 'failed']);
    expect(isTroubled(aRow({ name: 'a', states: ['Suspended'] }))).toBe(false);
  });

  it('a policy that could not be decided is looked at, and a disabled one is not', () => {
    expect(isTroubled(aRow({ name: 'a', status, states: ['Waiting'] }))).toBe(true);
    expect(isTroubled(aRow({ name: 'a', states: ['Disabled'] }))).toBe(false);
  });
});

describe('the address', () => {
  it.each([
    '',
    'q=a+b&state=Short&state=Waiting&state=NotEvaluated&group=state&sort=load&label=squad&labelled=front',
    'namespace=shop&source=x&tv=',
  ])('holds the view of %s', (text) => {
    const before = new URLSearchParams(text);
    expect([...parametersOf(viewOf(before), before)].toSorted()).toEqual([...before].toSorted());
  });

  it('passes over what it does not know', () => {
    expect(viewOf(new URLSearchParams('state=Nonsense&group=x&sort=toString&state=__proto__'))).toEqual(all);
  });
});

describe('what is told meanwhile', () => {
  const known = new Map(rows.map((row) => [rowKey(row), { ...row, history: [2, 2, 2] }]));
  const told = (time: string, name = 'web') =>
    withScalings(known, [{ time, to: 7, policy: { namespace: 'shop', name } }]);

  it('changes the count of its row', () => {
    expect(told('2026-11-22T03:12:01Z').get('shop/web')).toMatchObject({
      status: { replicas: 7, statusReplicas: 2 },
      history: [2, 2, 7],
    });
  });

  it.each([
    { name: 'older than the row', next: () => told('2026-11-22T03:11:59Z') },
    { name: 'of a policy that is not shown', next: () => told('2026-11-22T03:12:01Z', 'other') },
  ])('changes nothing where it is $name', ({ next }) => {
    expect([...next()]).toEqual([...known]);
  });

  it('a page without histories leaves those that are known', () => {
    const node = aRow({ name: 'web' });
    const page = { policies: { edges: [{ node }], pageInfo: { endCursor: null, hasNextPage: false } } };
    const rows = new Map<string, FleetRow>();
    addPage(rows, page, known);
    expect(rows.get('shop/web')?.history).toEqual([2, 2, 2]);
  });
});

it('a policy of which no state is said is steady only where its count is not on its way', () => {
  const wordOf = (replicas: number | null, statusReplicas: number | null) =>
    restOf({ replicas, statusReplicas }).word;
  expect([wordOf(4, 4), wordOf(6, 4), wordOf(2, 4), wordOf(null, 4)]).toEqual([
    'steady',
    'growing',
    'shrinking',
    'steady',
  ]);
});
