import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ControllerProcess } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const file = 'shop/checkout.yaml';
const byOwner = 'selectionStrategy: OwnerReference';
/** The policy with these lines in its spec. */
const withLines = (text: string, ...lines: readonly string[]): string =>
  text.replace('  interval: 1s\n', ['interval: 1s', ...lines].map((line) => `  ${line}\n`).join(''));

const question = `{
  strategyChanges(first: 50) { edges { node { id field before after commit { hash author subject } } } }
}`;

interface Answer {
  readonly strategyChanges: { readonly edges: readonly { readonly node: Change }[] };
}

interface Change {
  readonly field: string;
  readonly before: string | null;
  readonly after: string;
  readonly commit: { readonly hash: string; readonly author: string; readonly subject: string } | null;
}

describe('strategy changes of the built controller', () => {
  let world: ShopWorld;

  beforeEach(async () => {
    world = await startShopWorld();
  });
  afterEach(() => world.stop());

  /** Oldest first. */
  const recorded = async (running: ControllerProcess): Promise<readonly Change[]> =>
    (await running.query<Answer>(question)).strategyChanges.edges.map(({ node }) => node).toReversed();
  const untilRecorded = (running: ControllerProcess, count: number): Promise<readonly Change[]> =>
    soon(`${count} strategy changes`, async () => {
      const changes = await recorded(running);
      return changes.length >= count ? changes : undefined;
    });
  const events = (): readonly Record<string, unknown>[] =>
    world.simulator.objects
      .list({ apiVersion: 'v1', kind: 'Event', namespace: 'shop' })
      .filter((event) => typeof event['reason'] === 'string' && event['reason'].includes('Strategy'));
  const messages = (): readonly string[] =>
    events()
      .map(({ reason, message }) => `${String(reason)} ${String(message)}`)
      .toSorted();
  const untilMessages = (count: number): Promise<readonly string[]> =>
    soon(`${count} events`, () => (messages().length >= count ? messages() : undefined));

  it('are entries with their commit and events on the target, and neither comes again after a restart', async () => {
    const first = await world.startController();
    const added = world.repository.commit('Add checkout policy', { [file]: policyText });
    await untilRecorded(first, 1);
    const narrowed = world.repository.commit('Narrow it', {
      [file]: withLines(policyText, byOwner),
    });
    const changes = await untilRecorded(first, 2);
    const author = expect.stringContaining('Alex Example');
    expect(changes).toMatchObject([
      {
        field: 'selectionStrategy',
        before: null,
        after: 'LabelSelector',
        commit: { hash: added, subject: 'Add checkout policy' },
      },
      {
        field: 'selectionStrategy',
        before: 'LabelSelector',
        after: 'OwnerReference',
        commit: { hash: narrowed, subject: 'Narrow it', author },
      },
    ]);
    const reported = await untilMessages(2);
    expect(reported).toEqual([
      "SelectionStrategyActive Pod selection strategy 'OwnerReference' is active",
      'StrategyChanged Pod selection strategy changed from LabelSelector to OwnerReference',
    ]);
    const uid = world.simulator.objects.find({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'checkout',
    })?.metadata.uid;
    for (const event of events()) {
      expect(event).toMatchObject({
        type: 'Normal',
        count: 1,
        involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout', uid },
        source: { component: 'plimsoll' },
      });
    }
    expect(await first.stop()).toBe(0);
    const second = await world.startController();
    await untilDecided(second);
    await second.kill();
    const third = await world.startController();
    await untilDecided(third);
    expect(await recorded(third)).toEqual(changes);
    expect(messages()).toEqual(reported);
    expect(events().map(({ count }) => count)).toEqual([1, 1]);
  });

  it('of algorithm, actuation and enabled are reported too, and a gate that closes names no commit', async () => {
    const first = await world.startController();
    world.repository.commit('Add', { [file]: withLines(policyText, byOwner) });
    await untilRecorded(first, 1);
    const text = policyText.replace(
      'type: Utilization, averageUtilization: 60',
      'type: AverageValue, averageValue: 500m',
    );
    world.repository.commit('Another algorithm', { [file]: withLines(text, byOwner) });
    await untilRecorded(first, 2);
    world.repository.commit('Stop', { [file]: withLines(text, byOwner, 'enabled: false') });
    await untilRecorded(first, 3);
    world.repository.commit('Start, natively', {
      [file]: withLines(text, 'actuation: HorizontalPodAutoscaler'),
    });
    await untilRecorded(first, 6);
    world.repository.commit('By owner again', { [file]: withLines(policyText, byOwner) });
    await untilRecorded(first, 9);
    expect(await first.stop()).toBe(0);
    const settings = { ...settingsOf(world), featureGates: { SelectionStrategy: false } };
    const second = await world.startController({ settings });
    const changes = await untilRecorded(second, 10);
    expect(
      changes.map(
        ({ field, before, after, commit }) =>
          `${field} ${String(before)} → ${after}, ${commit?.subject ?? 'no commit'}`,
      ),
    ).toEqual([
      'selectionStrategy null → OwnerReference, Add',
      'algorithm Utilization → AverageValue, Another algorithm',
      'enabled true → false, Stop',
      'selectionStrategy OwnerReference → LabelSelector, Start, natively',
      'actuation Scale → HorizontalPodAutoscaler, Start, natively',
      'enabled false → true, Start, natively',
      'selectionStrategy LabelSelector → OwnerReference, By owner again',
      'actuation HorizontalPodAutoscaler → Scale, By owner again',
      'algorithm AverageValue → Utilization, By owner again',
      'selectionStrategy OwnerReference → LabelSelector, no commit',
    ]);
    const reported = await untilMessages(10);
    expect(reported).toEqual(
      expect.arrayContaining([
        'StrategyChanged Actuation changed from Scale to HorizontalPodAutoscaler',
        'StrategyChanged Algorithm changed from Utilization to AverageValue',
        'StrategyChanged Enabled changed from true to false',
      ]),
    );
  });

  /** Waits until this process has looked at the policy. */
  async function untilDecided(running: ControllerProcess): Promise<void> {
    await soon('a pass', async () => {
      const answer = await running.query<{
        readonly policy: { readonly status: { readonly time: string } | null } | null;
      }>('{ policy(namespace: "shop", name: "checkout") { status { time } } }');
      return answer.policy?.status?.time;
    });
  }
});

function settingsOf({ configuration }: ShopWorld): object {
  return (configuration as { readonly settings: object }).settings;
}
