import { describe, expect, it } from '@jest/globals';
import { aRenderedPolicy, hpaName, last, lastMessage, passes, specOf } from '../testing/a-rendered-policy.ts';

describe('interventions', () => {
  it('are rendered into the HPA at once, and out of it when they end; the decisions say how the HPA departs', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await world.pass(reconciler);
    const before = specOf(world);
    const since = world.clock.now();
    const expires = new Date(Date.parse(since) + 60_000).toISOString();
    const of = { reason: 'incident 7', actor: 'ada', since, expires } as const;
    const scope = { kind: 'Policy', ...hpaName } as const;
    const pin = { kind: 'Override', replicas: 3, ...of } as const;
    const stop = { kind: 'Suspend', direction: 'Down', ...of } as const;
    await world.interventions.begin({ id: 'pin', scope, intervention: pin });
    await world.interventions.begin({ id: 'stop', scope, intervention: stop });
    await world.pass(reconciler, 100);
    expect(specOf(world)).toMatchObject({
      minReplicas: 3,
      maxReplicas: 3,
      behavior: { scaleDown: { selectPolicy: 'Disabled' } },
    });
    const annotations = () => world.nativeAutoscalers.document(hpaName)?.['metadata'];
    expect(world.ledger.payloadsOf('ActuationOutcome').at(-1)).toMatchObject({
      reason: `in force: Override by ada until ${expires} (incident 7), Suspend by ada until ${expires} (incident 7)`,
    });
    expect(lastMessage(world)).toContain('; in force: Override by ada');
    expect(annotations()).toMatchObject({ annotations: { 'plimsoll.dev/until': expires } });
    expect(await world.interventions.end('pin', { actor: 'ada', reason: 'over' })).toBeNull();
    await world.pass(reconciler, 100);
    expect(specOf(world)).toMatchObject({
      minReplicas: before['minReplicas'],
      maxReplicas: before['maxReplicas'],
    });
    await world.pass(reconciler, 60_000);
    expect(specOf(world)).toEqual(before);
    expect(annotations()).not.toHaveProperty('annotations.plimsoll.dev/until');
    const suspended = expect.stringMatching(/^a suspension by ada: the native controller still corrects/);
    const departures = world.ledger.payloadsOf('Decision').map((payload) => payload['departures'] ?? null);
    expect(departures[0]).toBeNull();
    expect(departures).toContainEqual(expect.arrayContaining([suspended]));
    expect(departures.at(-1)).toBeNull();
    expect(world.scale.writes).toEqual([]);
  });
});

describe('windows', () => {
  it('are rendered into the HPA, and out of it', async () => {
    const { world, reconciler } = await aRenderedPolicy();
    await passes(world, reconciler, 1);
    const until = '2026-11-20T13:00:00.000Z';
    world.windows.windows = [
      { kind: 'Schedule', name: 'evening', minReplicas: 6, until },
      { kind: 'Freeze', name: 'release', direction: 'Down', until },
    ];
    await passes(world, reconciler, 2);
    expect(specOf(world)).toMatchObject({
      minReplicas: 6,
      behavior: { scaleDown: { selectPolicy: 'Disabled' } },
    });
    expect(world.nativeAutoscalers.document(hpaName)).toMatchObject({
      metadata: { annotations: { 'plimsoll.dev/until': until } },
    });
    expect(last(world)).toBe('Done/Unchanged');
    expect(lastMessage(world)).toContain('freeze "release"');
    expect(world.ledger.payloadsOf('ActuationOutcome').at(-1)).toMatchObject({
      departures: [expect.stringContaining('freeze "release"')],
      drift: null,
    });
    world.windows.windows = [];
    await passes(world, reconciler, 2);
    expect(specOf(world)).toMatchObject({ minReplicas: 1, behavior: { scaleDown: { selectPolicy: 'Max' } } });
    expect(world.nativeAutoscalers.document(hpaName)).not.toHaveProperty([
      'metadata',
      'annotations',
      'plimsoll.dev/until',
    ]);
  });

  it('that ended while the controller was down are taken out first at its start', async () => {
    const { world, checkout, reconciler } = await aRenderedPolicy();
    world.windows.windows = [
      { kind: 'Schedule', name: 'evening', minReplicas: 6, until: '2026-11-20T12:10:00.000Z' },
    ];
    await passes(world, reconciler, 1);
    expect(specOf(world)).toMatchObject({ minReplicas: 6 });
    world.windows.windows = [];
    world.clock.advance(3_600_000);
    const others = ['api', 'shop'].map((namespace) => world.add({ namespace, name: 'search' }, 2));
    for (const other of others) world.proposes(other, 2);
    world.activePolicies.policies = [...others, checkout];
    world.metrics.queries.length = 0;
    const next = await world.start();
    await next.sweep();
    expect(specOf(world)).toMatchObject({ minReplicas: 1 });
    const begun = world.metrics.queries.map(({ namespace, selector }) => `${namespace} ${selector}`);
    expect(begun).toEqual(['shop app=checkout', 'shop app=search', 'api app=search']);
  });
});
