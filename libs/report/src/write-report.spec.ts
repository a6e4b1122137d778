import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeControls } from '#kernel';
import { adminStream, genesisHash, policyStream, syncStream, type UnverifiedEntry } from '#ledger';
import { csvCell } from './forms/csv-report.ts';
import { parsePeriod } from './terms/period.ts';
import { parsePrice } from './terms/price.ts';
import type { ReportRequest } from './terms/report-statement.ts';
import { type ReportFormat, writeReport } from './write-report.ts';

const checkout = { namespace: 'shop', name: 'checkout' };
const parsed = parsePeriod({ from: '2027-03-01', until: '2027-03-02', timeZone: 'UTC' });
if (!parsed.ok) throw new Error(parsed.error);
const noFilter = {
  namespaces: null,
  policies: null,
  teams: null,
  teamLabel: 'team',
  visibleNamespaces: null,
};
const aRequest: ReportRequest = {
  period: parsed.value,
  filter: noFilter,
  price: parsePrice('0.05', 'EUR'),
};

/** Entries of one stream, numbered; times are of the first of March. */
function streamOf(
  stream: string,
  items: readonly (readonly [string, string, object | null])[],
): UnverifiedEntry[] {
  return items.map(([kind, time, payload], index) => ({
    format: 2,
    stream,
    seq: BigInt(index + 1),
    cluster: 'test',
    time: `2027-03-01T${time}:00Z`,
    previousHash: genesisHash,
    hash: genesisHash,
    kind,
    ...(payload === null ? { payloadHash: genesisHash } : { payloadText: JSON.stringify(payload) }),
  }));
}

const commit = { hash: 'a1b2c3', author: 'Ada', subject: '=HYPERLINK("http://evil")', time: '' };
const document = { metadata: { name: 'checkout', labels: { team: 'payments' } }, spec: { interval: '15s' } };
const decision = (currentReplicas: number): object => ({ decision: { currentReplicas } });
const run = (first: string, last: string, desiredReplicas: number): object => ({
  first: `2027-03-01T${first}:00Z`,
  last: `2027-03-01T${last}:00Z`,
  action: 'None',
  desiredReplicas,
});

const policyEntries = streamOf(policyStream(checkout), [
  ['PolicyChange', '08:00', { before: null, after: document, departure: null, source: 'main', commit }],
  ['Decision', '08:00', decision(4)],
  ['DecisionRun', '08:15', run('08:00', '08:15', 4)],
  ['ScalingEvent', '08:20', { origin: 'Plimsoll', manager: null, from: 4, to: 8, reason: 'cpu <b>', commit }],
  ['DecisionRun', '08:30', run('08:20', '08:30', 8)],
  ['Decision', '10:30', decision(8)],
  ['DecisionRun', '10:40', null],
  ['Decision', '10:45', decision(8)],
  ['PolicyChange', '11:00', { before: document, after: null, departure: 'Pruned', source: 'main', commit }],
  ['ActuationOutcome', '11:01', {}],
]);
const adminEntries = streamOf(adminStream, [
  [
    'OperatorAction',
    '09:00',
    {
      actor: 'bo',
      action: 'OverrideReplicas',
      outcome: 'Forced',
      reason: 'a sale',
      arguments: { policy: 'shop/checkout', max: 90 },
      effect: { summary: 'at most 90', against: ['guardrail bounds: 50 are enough'] },
    },
  ],
  [
    'OperatorAction',
    '09:05',
    {
      actor: 'eve',
      action: 'SyncSource',
      outcome: 'Refused',
      reason: 'it is rolled back',
      givenReason: 'is it there?',
      arguments: {},
    },
  ],
]);
const syncEntries = streamOf(syncStream, [
  ['SyncRun', '07:00', { source: 'main', outcome: 'held', message: 'two persons', commit }],
  ['SyncRun', '07:10', { source: 'main', outcome: 'active', message: '', commit }],
  ['CommitReview', '07:11', { source: 'main', commit, pullRequest: { number: 12, approvers: ['cleo'] } }],
]);

async function reportOf(
  format: ReportFormat,
  given: Partial<ReportRequest> = {},
  {
    fault = null,
    actions = adminEntries,
    policies = policyEntries,
  }: {
    readonly fault?: string | null;
    readonly actions?: readonly UnverifiedEntry[];
    readonly policies?: readonly UnverifiedEntry[];
  } = {},
): Promise<string> {
  let text = '';
  const source = {
    streams: [
      adminStream,
      syncStream,
      policyStream(checkout),
      policyStream({ namespace: 'hr', name: 'pay' }),
    ],
    about: {
      madeAt: '2027-03-02T00:00:00Z',
      readFrom: 'a database',
      heads: [{ stream: adminStream, seq: 2n, hash: genesisHash }],
      checkpoint: { number: 7n, time: '2027-03-01T23:00:00Z', origin: 'plimsoll/test/1' },
    },
    entries: (async function* () {
      for (const entries of [actions, policies, syncEntries]) yield await Promise.resolve(entries);
    })(),
    verification: () => Promise.resolve({ status: fault === null ? 'Consistent' : 'Broken', fault } as const),
  };
  for await (const portion of writeReport({ ...aRequest, ...given }, source, format)) text += portion;
  return text;
}

interface Report {
  readonly rows: readonly {
    readonly kind: string;
    readonly action: string;
    readonly exception: string | null;
    readonly reason: string | null;
    readonly details: string | null;
  }[];
  readonly totals: { readonly policies: readonly object[] };
}

async function jsonOf(given: Partial<ReportRequest> = {}): Promise<Report> {
  return JSON.parse(await reportOf('json', given)) as Report;
}

describe('a report', () => {
  it('counts what is known, and says how long it is not', async () => {
    // 4 for 20 minutes and 8 for 10; a silence of two hours, a payload that is gone, and the time before the departure.
    expect((await jsonOf()).totals).toMatchObject({
      replicaHours: '2.667',
      unknownHours: '2.500',
      cost: '0.13',
      scalingEvents: 1,
      entriesWithoutContent: 1,
      exceptions: { Held: 1, Rejected: 0, Refused: 1, Overridden: 0, Forced: 1 },
      policies: [{ namespace: 'shop', policy: 'checkout', team: 'payments', replicaHours: '2.667' }],
      namespaces: [{ namespace: 'shop', unknownHours: '2.500' }],
      teams: [{ team: 'payments', replicaHours: '2.667' }],
      buckets: [{ label: '2027-03-01', replicaHours: '2.667', scaleUps: 1, scaleDowns: 0 }],
    });
  });

  it('has no hours and no cost where no count is known, rather than none of them', async () => {
    const silence = parsePeriod({
      from: '2027-03-01T09:00:00Z',
      until: '2027-03-01T10:00:00Z',
      timeZone: 'UTC',
    });
    if (!silence.ok) throw new Error(silence.error);
    const given = { period: silence.value };
    const unknown = { replicaHours: null, unknownHours: '1.000', cost: null };
    expect((await jsonOf(given)).totals).toMatchObject({
      ...unknown,
      policies: [{ policy: 'checkout', ...unknown }],
      namespaces: [unknown],
      teams: [unknown],
      buckets: [{ replicaHours: null }],
    });
    const csv = (await reportOf('csv', given)).split('\r\n');
    expect(csv.find((line) => line.startsWith('PolicyTotal,'))).toMatch(/,,1\.000,0,$/);
    const html = await reportOf('html', given);
    expect(html).toContain('<dt>Replica-hours</dt><dd>– <small>(no count is known)</small></dd>');
    expect(html).toContain('replica-hours: not known</title>');
    expect(html).not.toContain('>0.000<');
  });

  it('has a row for what happened, and none for looks at a source that changed nothing', async () => {
    const { rows } = await jsonOf();
    expect(rows.map(({ kind, action, exception }) => `${kind} ${action} ${exception ?? ''}`.trim())).toEqual([
      'OperatorAction OverrideReplicas Forced',
      'OperatorAction SyncSource Refused',
      'PolicyChange Added',
      'ScalingEvent ScaleUp',
      'PolicyChange Pruned',
      'SyncRun held Held',
      'CommitReview Approved',
    ]);
  });

  it('says what it was made from, and whether that verifies', async () => {
    expect(await jsonOf()).toMatchObject({
      report: {
        period: { from: '2027-03-01T00:00:00+00:00', until: '2027-03-02T00:00:00+00:00', timeZone: 'UTC' },
        filter: noFilter,
        price: { perReplicaHour: '0.05', currency: 'EUR' },
        checkpoint: { number: '7' },
        heads: [{ stream: 'admin', seq: '2', hash: genesisHash }],
      },
      verification: { status: 'Consistent', fault: null },
    });
  });

  it.each([
    { name: 'a namespace by pattern', filter: { namespaces: ['sh*'] }, rows: 4, policies: 1 },
    { name: 'another namespace', filter: { namespaces: ['billing'] }, rows: 0, policies: 0 },
    { name: 'a policy', filter: { policies: ['shop/checkout'] }, rows: 4, policies: 1 },
    { name: 'a team', filter: { teams: ['payments'] }, rows: 3, policies: 1 },
    { name: 'another team', filter: { teams: ['search'] }, rows: 0, policies: 0 },
    {
      name: 'what its reader may view, with what operators did to it',
      filter: { visibleNamespaces: ['shop'] },
      rows: 4,
      policies: 1,
    },
    {
      name: 'the overlap of what is asked for and what may be viewed',
      filter: { namespaces: ['sh*', 'billing'], visibleNamespaces: ['billing', 'team-*'] },
      rows: 0,
      policies: 0,
    },
    { name: 'another label', filter: { teams: ['payments'], teamLabel: 'owner' }, rows: 0, policies: 0 },
  ])('keeps to $name', async ({ filter, rows, policies }) => {
    const report = await jsonOf({ filter: { ...noFilter, ...filter } });
    expect(report.rows).toHaveLength(rows);
    expect(report.totals.policies).toHaveLength(policies);
  });

  it('says what an action was forced against, why one that was refused was asked for, and who approved', async () => {
    const { rows } = await jsonOf();
    expect(rows.slice(0, 2).map(({ reason, details }) => [reason, details])).toEqual([
      ['a sale', '{"against":["guardrail bounds: 50 are enough"],"max":90,"policy":"shop/checkout"}'],
      ['it is rolled back', '{"givenReason":"is it there?"}'],
    ]);
    const html = (await reportOf('html')).replaceAll('<wbr>', '');
    expect(html).toContain('<td>a sale; against guardrail bounds: 50 are enough</td>');
    expect(html).toContain('<td>it is rolled back; asked for with the reason “is it there?”</td>');
    expect(html).toMatch(
      /<h2>Pull requests \(1\).*<td>Approved<\/td><td>#12<\/td>.*; approved by cleo<\/td>/s,
    );
  });

  it('names the cluster that its entries are of, whether or not there is a checkpoint', async () => {
    expect(await jsonOf()).toMatchObject({ totals: { clusters: ['test'] } });
    expect(await reportOf('html')).toContain('<tr><th>Cluster</th><td>test</td></tr>');
    expect(await reportOf('csv')).toContain('\r\nStatement,,,,,,clusters,,test,');
    const elsewhere = { ...noFilter, namespaces: ['elsewhere'] };
    const empty = await reportOf('html', { filter: elsewhere }, { actions: [] });
    expect(empty).toContain('<tr><th>Cluster</th><td>not known: there are no entries</td></tr>');
  });

  it('says when its entries begin, and that of a period that begins before them nothing is known until then', async () => {
    const since = Date.parse('2027-03-01T07:00:00Z');
    const earlier = { ...aRequest.period, from: since - 1 };
    expect(await jsonOf({ period: earlier })).toMatchObject({
      totals: { oldestEntry: '2027-03-01T07:00:00.000Z' },
    });
    expect(await reportOf('csv')).toContain('\r\nStatement,,,,,,oldestEntry,,2027-03-01T07:00:00.000Z,');
    const note = 'what was before is not known.';
    expect(await reportOf('html', { period: earlier })).toContain(note);
    expect(await reportOf('html', { period: { ...aRequest.period, from: since } })).not.toContain(note);
    // Of others' entries it is not told when they were made.
    const limited = await jsonOf({ filter: { ...noFilter, visibleNamespaces: ['elsewhere'] } });
    expect(limited).toMatchObject({ totals: { oldestEntry: null } });
  });

  const mayView = { ...noFilter, visibleNamespaces: ['shop'] };

  it('tells who may not view all what operators did to the namespaces that may be viewed, and nothing of the rest', async () => {
    const did = (time: string, given: object | null): readonly [string, string, object | null] => [
      'OperatorAction',
      time,
      given === null
        ? null
        : { actor: 'olga', action: 'SuspendScaling', outcome: 'Accepted', reason: 'x', arguments: given },
    ];
    const actions = streamOf(adminStream, [
      did('09:00', { scope: 'Policy', policy: 'shop/checkout' }),
      did('09:01', { scope: 'Namespace', namespace: 'shop' }),
      did('09:02', { scope: 'Policy', policy: 'pay/ledger' }),
      did('09:03', { scope: 'Namespace', namespace: 'pay' }),
      did('09:04', { scope: 'Source', source: 'policies' }),
      did('09:05', { scope: 'Cluster' }),
      did('09:06', null),
    ]);
    const text = await reportOf('json', { filter: mayView }, { actions });
    const { rows, totals } = JSON.parse(text) as {
      readonly rows: readonly { readonly kind: string; readonly details: string }[];
      readonly totals: { readonly exceptions: object; readonly entriesWithoutContent: number };
    };
    expect(rows.filter(({ kind }) => kind === 'OperatorAction').map(({ details }) => details)).toEqual([
      '{"policy":"shop/checkout","scope":"Policy"}',
      '{"namespace":"shop","scope":"Namespace"}',
    ]);
    expect(totals.exceptions).toMatchObject({ Overridden: 2 });
    // One of the policy’s entries, and none of the actions.
    expect(totals.entriesWithoutContent).toBe(1);
    expect(text).not.toMatch(/\bpay\b|Cluster/);
    const whole = JSON.parse(await reportOf('json', {}, { actions })) as typeof text & {
      readonly totals: { readonly entriesWithoutContent: number };
    };
    expect(whole.totals.entriesWithoutContent).toBe(2);
  });

  it.each([
    {
      filter: mayView,
      want: 'syncs, and what operators did to whole sources, the cluster or the settings: needs viewer of all namespaces',
    },
    {
      filter: { ...noFilter, namespaces: ['shop'] },
      want: 'syncs, and what operators did to whole sources, the cluster or the settings: a report without a filter has them',
    },
    {
      filter: { ...noFilter, teams: ['payments'] },
      want: 'syncs, and actions of operators: a report without a filter has them',
    },
    { filter: noFilter, want: null },
  ])('says what it leaves out: $want', async ({ filter, want }) => {
    expect(await jsonOf({ filter })).toMatchObject({ report: { leftOut: want } });
    const csv = (await reportOf('csv', { filter })).split('\r\n');
    expect(csv.find((line) => line.includes(',leftOut,'))).toContain(want ?? ',nothing,');
    expect(await reportOf('html', { filter })).toContain(
      `<tr><th>Left out</th><td>${want ?? 'nothing'}</td></tr>`,
    );
  });

  describe('of an intervention that was ended early', () => {
    const done = (
      time: string,
      [actor, action]: readonly [string, string],
      id: string,
    ): readonly [string, string, object] => [
      'OperatorAction',
      time,
      {
        ...{ actor, action, outcome: action === 'EndDryRun' ? 'Refused' : 'Accepted', reason: null },
        arguments: {
          ...{ id, scope: 'Policy', policy: 'shop/checkout', replicas: 40 },
          expires: id === 'later' ? '2027-03-02T02:00:00Z' : '2027-03-01T12:00:00Z',
        },
      },
    ];
    const within = streamOf(adminStream, [
      done('09:00', ['bo', 'OverrideReplicas'], 'ended'),
      done('09:10', ['eve', 'EndDryRun'], 'ended'),
      done('09:20', ['bo', 'OverrideReplicas'], 'standing'),
      done('09:30', ['olga', 'EndOverride'], 'ended'),
      done('10:00', ['bo', 'OverrideReplicas'], 'expired'),
      done('12:00', ['plimsoll', 'EndOverride'], 'expired'),
      done('23:00', ['bo', 'OverrideReplicas'], 'later'),
      done('01:00', ['olga', 'EndOverride'], 'later'),
    ]);
    const actions = within.map((entry, index) =>
      index === within.length - 1 ? { ...entry, time: '2027-03-02T01:00:00Z' } : entry,
    );

    it('says in the row of its beginning when and by whom, and of one that expired nothing', async () => {
      const { rows } = JSON.parse(await reportOf('json', {}, { actions })) as {
        readonly rows: readonly Readonly<Record<'time' | 'action' | 'details', string>>[];
      };
      const told = rows
        .filter(({ action }) => action === 'OverrideReplicas')
        .map(({ time, details }) => {
          const { id, endedAt, endedBy } = JSON.parse(details) as Readonly<Record<string, string>>;
          return [time.slice(11, 16), id, endedAt, endedBy];
        });
      expect(told).toEqual([
        ['09:00', 'ended', '2027-03-01T09:30:00Z', 'olga'],
        ['09:20', 'standing', undefined, undefined],
        ['10:00', 'expired', undefined, undefined],
        ['23:00', 'later', '2027-03-02T01:00:00Z', 'olga'],
      ]);
    });

    it('says so in CSV, and leaves all rows in their order', async () => {
      const lines = (await reportOf('csv', {}, { actions })).split('\r\n');
      const rows = lines.filter((line) => line.startsWith('OperatorAction,'));
      expect(rows.map((row) => /T(\d\d:\d\d)/.exec(row)?.[1])).toEqual([
        ...['09:00', '09:10', '09:20', '09:30', '10:00', '12:00', '23:00'],
      ]);
      expect(rows[0]).toContain('""endedAt"":""2027-03-01T09:30:00Z"",""endedBy"":""olga""');
    });

    it('says so in HTML', async () => {
      const html = await reportOf('html', { filter: mayView }, { actions });
      const cells = [
        ...html.matchAll(
          /<td>Accepted: exactly 40, until Mon 1 Mar 2027 12:<wbr>00 UTC([^<]*(?:<wbr>[^<]*)*)<\/td>/g,
        ),
      ];
      expect(cells.map(([, end = '']) => end.replaceAll('<wbr>', ''))).toEqual(
        expect.arrayContaining(['', ', ended at Mon 1 Mar 2027 09:30 UTC by olga']),
      );
      expect(html.replaceAll('<wbr>', '')).not.toContain('ended at Mon 1 Mar 2027 12:00');
    });
  });

  it.each([
    {
      name: 'a team that no policy has',
      filter: { teams: ['nope'] },
      want: 'no policy has nope for its label team: there is payments',
    },
    {
      name: 'a label that no policy has',
      filter: { teams: ['payments'], teamLabel: 'squad' },
      want: 'no policy has payments for its label squad: there is no team that may be seen',
    },
    {
      name: 'a namespace without a policy',
      filter: { namespaces: ['nope', 'no-*'] },
      want: 'there is no policy in namespace nope or no-*: there is hr, shop',
    },
    {
      name: 'a policy of another name',
      filter: { policies: ['shop/chekout'] },
      want: 'there is no policy shop/chekout: there is shop/checkout',
    },
    {
      name: 'a policy of another namespace than is asked for',
      filter: { namespaces: ['hr'], policies: ['shop/checkout'] },
      want: 'there is no policy shop/checkout in namespace hr: there is shop/checkout',
    },
    {
      name: 'what its reader may not view',
      filter: { namespaces: ['hr'], visibleNamespaces: ['shop'] },
      want: 'there is no policy in namespace hr: there is shop',
    },
    { name: 'what is there', filter: { teams: ['payments', 'nope'], namespaces: ['shop'] }, want: null },
    { name: 'everything', filter: {}, want: null },
  ])('says that nothing matches, and what there is: $name', async ({ filter, want }) => {
    const given = { filter: { ...noFilter, ...filter } };
    const { nothingMatches } = JSON.parse(await reportOf('json', given)) as { nothingMatches: unknown };
    expect(nothingMatches).toBe(want);
    const csv = (await reportOf('csv', given)).split('\r\n');
    expect(csv.filter((line) => line.startsWith('Statement,,,,,,nothingMatches,'))).toHaveLength(1);
    const html = await reportOf('html', given);
    expect(html.includes(want === null ? 'Nothing matches' : `Nothing matches: ${want}`)).toBe(want !== null);
  });

  it('is lines of one member each in NDJSON', async () => {
    const lines = (await reportOf('ndjson')).trimEnd().split('\n');
    const members = lines.map((line) => Object.keys(JSON.parse(line) as object).join());
    expect(members).toEqual([
      ...['report', ...Array<string>(7).fill('row')],
      ...['totals', 'nothingMatches', 'verification'],
    ]);
    const { rows, totals } = await jsonOf();
    const items = lines.map(
      (line) => JSON.parse(line) as { readonly row?: object; readonly totals?: object },
    );
    expect(items.flatMap(({ row }) => row ?? [])).toEqual(rows);
    expect(items.at(-3)?.totals).toEqual(totals);
  });

  it('neutralises formulas in CSV, and has one row for every total', async () => {
    const lines = (await reportOf('csv')).trimEnd().split('\r\n');
    expect(lines.filter((line) => line.includes('HYPERLINK')).map((line) => line.split(',')[9])).toEqual(
      Array(3).fill(`"'=HYPERLINK(""http://evil"")"`),
    );
    const kinds = lines.map((line) => line.split(',', 1)[0]);
    expect(kinds.filter((kind) => kind?.endsWith('Total'))).toEqual([
      ...['PolicyTotal', 'NamespaceTotal', 'TeamTotal'],
      ...Array<string>(5).fill('ExceptionTotal'),
      'Total',
    ]);
    expect(lines.at(-1)).toMatch(/^Statement,,,,,,verification,,Consistent,/);
  });

  it('has in each cell of CSV what its column is named for', async () => {
    const lines = (await reportOf('csv')).replace('\uFEFF', '').split('\r\n');
    const columns = lines[0]?.split(',') ?? [];
    const cells = lines.find((line) => line.startsWith('ScalingEvent,'))?.split(',') ?? [];
    const { rows } = (await jsonOf()) as { readonly rows: readonly { readonly kind: string }[] };
    const row = { ...rows.find(({ kind }) => kind === 'ScalingEvent'), time: '2027-03-01T08:20:00+00:00' };
    expect(cells).toHaveLength(columns.length);
    expect(cells).toEqual(columns.map((column) => (Reflect.get(row, column) as string | null) ?? ''));
  });

  it('groups the digits of what people read, and not of what programs do', async () => {
    const price = parsePrice('500', 'EUR');
    const cost = /<dt>Cost \(EUR\)<\/dt><dd>([^<]*)</.exec(await reportOf('html', { price }))?.[1];
    expect(cost).toMatch(/^\d{1,3}(?:,\d{3})+\.\d{2}$/);
    expect(await reportOf('json', { price })).toContain(`"cost":"${cost?.replaceAll(',', '')}"`);
  });

  it('has no markup of the ledger, no script and no address in HTML', async () => {
    const html = await reportOf('html');
    expect(html).toContain('cpu &lt;b&gt;');
    expect(html).not.toMatch(/<b>|<script|src=|href=|url\(/);
    expect(html).toContain('Consistent.');
    expect(html).toContain('the heads named below');
  });

  it('names the operator who released or rolled back, with the reason, and no author of a commit', async () => {
    const left = { before: document, after: null, source: 'main', commit };
    const change = { before: document, after: document, departure: null, source: 'main', commit };
    const operator = { action: 'RollBackSource', by: 'olga', reason: 'incident 7' };
    const policies = streamOf(policyStream(checkout), [
      ['PolicyChange', '08:00', { ...change, operator }],
      ['PolicyChange', '09:00', { ...left, departure: 'RolledBack' }],
      [
        'PolicyChange',
        '10:00',
        {
          ...left,
          departure: 'Released',
          operator: { action: 'ReleasePolicy', by: 'ben', reason: 'leaves' },
        },
      ],
      ['PolicyChange', '11:00', change],
    ]);
    const { rows } = JSON.parse(await reportOf('json', {}, { policies })) as {
      readonly rows: readonly Readonly<Record<string, string | null>>[];
    };
    const changes = rows.filter(({ kind }) => kind === 'PolicyChange');
    expect(changes.map(({ action, actor, reason, details }) => [action, actor, reason, details])).toEqual([
      ['Changed', 'olga', 'incident 7', '{"operatorAction":"RollBackSource","source":"main"}'],
      ['RolledBack', null, null, '{"source":"main"}'],
      ['Released', 'ben', 'leaves', '{"operatorAction":"ReleasePolicy","source":"main"}'],
      ['Changed', 'Ada', commit.subject, '{"source":"main"}'],
    ]);
  });

  it.each([
    {
      name: 'a count',
      given: { policy: 'shop/checkout', replicas: 40, expires: '2027-03-01T12:00:00Z' },
      want: 'Accepted: exactly 40, until Mon 1 Mar 2027 12:00 UTC',
    },
    { name: 'bounds', given: { minReplicas: 2, maxReplicas: 10 }, want: 'Accepted: at least 2, at most 10' },
    { name: 'a direction', given: { direction: 'Down', scope: 'S' }, want: ': no scaling down, scope S<' },
    { name: 'a commit', given: { commit: 'ab'.repeat(20) }, want: '>Accepted: commit abababababab<' },
    { name: 'both directions', given: { direction: 'Both', id: 'ef', n: 8 }, want: ': no scaling, n 8<' },
  ])('says in HTML what an operator put in place: $name', async ({ given, want }) => {
    const payload = { actor: 'bo', action: 'X', outcome: 'Accepted', reason: null, arguments: given };
    const actions = streamOf(adminStream, [['OperatorAction', '09:20', payload]]);
    const html = (await reportOf('html', {}, { actions })).replaceAll('<wbr>', '');
    expect(html).toContain(want);
  });

  it('has what only read the ledger apart from other actions in HTML, and the controller by its name', async () => {
    const actions = streamOf(adminStream, [
      ...['MakeReport', 'ReadReport', 'ExportLedger'].map((action) => {
        const payload = { actor: 'ann', action, outcome: 'Accepted', reason: null, arguments: {} };
        return ['OperatorAction', '09:10', payload] as const;
      }),
      ['OperatorAction', '09:20', { actor: 'plimsoll', action: 'X', outcome: 'Accepted', arguments: {} }],
    ]);
    const html = await reportOf('html', {}, { actions });
    expect(html).toContain('<td>Plimsoll</td>');
    expect(html).toContain('<h2>Actions of operators (1)</h2>');
    expect(html).toContain('<h2>Reports and exports (3)</h2>');
  });

  it('says in HTML that a ledger is broken', async () => {
    expect(await reportOf('html', {}, { fault: 'admin#2: <gone>' })).toContain(
      'The ledger does not verify: admin#2: &lt;gone&gt;',
    );
  });
});

/** What a spreadsheet begins a formula at, whatever blanks stand before it. */
const formula = /^[\s\p{Cc}]*[=+\-@＝＋－＠|]/u;

const formulaOrQuoted = /^[\s\p{Cc}"]*[=+\-@＝＋－＠|]/u;

/** As RFC 4180 reads a record of one cell. */
function cellOf(written: string): string {
  return written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
}

describe('csvCell', () => {
  it.each([
    { name: 'text', given: 'plain', want: 'plain' },
    { name: 'a formula', given: '=1+1', want: "'=1+1" },
    { name: 'a formula behind blanks', given: '\u00a0 @SUM(A1)', want: "'\u00a0 @SUM(A1)" },
    { name: 'a formula in wide forms', given: '＝1', want: "'＝1" },
    { name: 'a tab at the beginning', given: '\tx', want: `"'\tx"` },
    { name: 'a formula behind a semicolon', given: 'x; =1+1;y', want: `"x;' =1+1;y"` },
    { name: 'a formula behind a tab', given: 'x\t"=1+1', want: `"x\t'""=1+1"` },
    { name: 'a negative number', given: '-1', want: "'-1" },
    { name: 'quotes and commas', given: 'a,"b"', want: '"a,""b"""' },
    { name: 'lines', given: 'a\r\nb', want: '"a\r\nb"' },
    { name: 'what a terminal would obey', given: 'a\u001b[8mb', want: String.raw`a\u001b[8mb` },
  ])('writes $name', ({ given, want }) => {
    expect(csvCell(given)).toBe(want);
  });

  it('computes nothing, loses nothing and leaves its cell, whatever the text', () => {
    const dangerous = fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '＝',
      '＋',
      '－',
      '＠',
      '|',
      '\t',
      '\r',
      '\n',
      ',',
      ';',
      '"',
      ' ',
    );
    const parts = fc.array(fc.oneof(dangerous, fc.string({ unit: 'binary', maxLength: 5 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        parts.map((texts) => texts.join('')),
        (given) => {
          const written = csvCell(given);
          const isQuoted = /^"(?:[^"]|"")*"$/.test(written);
          if (!isQuoted) expect(written).not.toMatch(/[",\r\n\t;]/);
          const cell = cellOf(written);
          expect(cell).not.toMatch(formula);
          // Also by a spreadsheet that parts cells by something else, whatever is quoted.
          for (const part of written.split(/[;\t\r\n]/).slice(1)) expect(part).not.toMatch(formulaOrQuoted);
          const shown = given.replace(/[^\t\r\n]+/g, escapeControls);
          expect(cell.replaceAll("'", '')).toBe(shown.replaceAll("'", ''));
        },
      ),
      { numRuns: 500 },
    );
  });
});
