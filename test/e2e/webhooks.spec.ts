import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { stringify } from 'yaml';
import { type Simulator, startSimulator } from '#simulator';
import { type ForgeServer, startForgeServer } from '../support/forge-server.ts';
import { aDelivery, type DeliveryPlan } from '../support/webhook-deliveries.ts';
import { type ControllerProcess, startControllerProcess } from './support/controller-process.ts';
import { createPolicyRepository, type PolicyRepository } from './support/policy-repository.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const webhookSecret = 'webhook-secret-1';
const forgeToken = 'forge-token-1';

const policyText = (maxReplicas: number | string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: checkout, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 2
  maxReplicas: ${maxReplicas}
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}
`;

const statusMade = { status: 201, body: { id: 1 } };

const policyQuery = `{ policy(namespace: "shop", name: "checkout") {
  maxReplicas
  origin { commit { hash pullRequest { number author approvers verified } } }
} }`;

const reviewsQuery = `{ auditEntries(first: 10, where: { kinds: [CommitReview] }) {
  edges { node { ... on CommitReview { commit { hash } pullRequest { number author approvers verified } } } }
} }`;

interface ReviewsAnswer {
  readonly auditEntries: { readonly edges: readonly unknown[] };
}

interface PolicyAnswer {
  readonly policy: {
    readonly maxReplicas: number;
    readonly origin: {
      readonly commit: { readonly hash: string; readonly pullRequest: { readonly verified: boolean } | null };
    };
  } | null;
}

describe('a push reported by a webhook', () => {
  let folder: string;
  let simulator: Simulator;
  let forge: ForgeServer;
  let repository: PolicyRepository;
  let controller: ControllerProcess;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-webhooks-'));
    simulator = await startSimulator();
    forge = await startForgeServer({ header: 'authorization', value: () => `Bearer ${forgeToken}` });
    repository = createPolicyRepository(join(folder, 'policies'));
    await writeFile(join(folder, 'kubeconfig'), stringify(simulator.kubeconfig));
    await writeFile(join(folder, 'webhook-secret'), `${webhookSecret}\n`);
    await writeFile(join(folder, 'forge-token'), `${forgeToken}\n`);
    controller = await startControllerProcess(folder, {
      cluster: { name: 'e2e', kubeconfig: join(folder, 'kubeconfig') },
      mode: 'Observe',
      namespaces: ['shop'],
      dataFolder: join(folder, 'data'),
      sources: [
        {
          name: 'policies',
          url: repository.url,
          // Nothing but the webhook brings a commit in within this test.
          interval: '24h',
          webhook: { provider: 'github', secretFile: join(folder, 'webhook-secret') },
          forge: {
            provider: 'github',
            apiUrl: forge.url,
            repository: 'platform/policies',
            tokenFile: join(folder, 'forge-token'),
          },
        },
      ],
      database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    });
  });
  afterEach(async () => {
    await controller.kill();
    await forge.stop();
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (plan: Partial<DeliveryPlan>, path = 'policies'): Promise<Response> => {
    const { headers, body } = aDelivery('github', { secret: webhookSecret, ...plan });
    return fetch(`${controller.url}/webhooks/${path}`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: new Uint8Array(body),
    });
  };
  const push = (hash: string): Promise<Response> =>
    send({ id: hash, body: JSON.stringify({ ref: 'refs/heads/main', after: hash }) });
  const inForce = (hash: string): Promise<NonNullable<PolicyAnswer['policy']>> =>
    soon(`${hash} in force`, async () => {
      const { policy } = await controller.query<PolicyAnswer>(policyQuery);
      return policy?.origin.commit.hash === hash ? policy : undefined;
    });
  const statusesOf = (hash: string): readonly unknown[] =>
    forge.requests
      .filter(({ method, path }) => method === 'POST' && path === `/repos/platform/policies/statuses/${hash}`)
      .map(({ body }) => body);
  const allowStatus = (hash: string): void =>
    forge.answer(`POST /repos/platform/policies/statuses/${hash}`, statusMade);

  it('puts the policy in force, reports to the forge, and knows who allowed it', async () => {
    const hash = repository.commit('Add the checkout policy (#12)', { 'shop/checkout.yaml': policyText(12) });
    const answered = Promise.withResolvers<undefined>();
    // The sender of the push must not wait for what the forge is asked or told on account of it.
    forge.answer(`POST /repos/platform/policies/statuses/${hash}`, async () => {
      await answered.promise;
      return statusMade;
    });
    forge.answer(`GET /repos/platform/policies/commits/${hash}/pulls`, async () => {
      await answered.promise;
      const merged = { merge_commit_sha: hash, merged_at: '2026-11-21T12:00:00Z' };
      return { body: [{ number: 12, user: { login: 'alex' }, base: { ref: 'main' }, ...merged }] };
    });
    forge.answer('GET /repos/platform/policies/pulls/12/reviews', {
      body: [{ user: { login: 'ada' }, state: 'APPROVED', submitted_at: '2026-11-21T11:00:00Z' }],
    });
    const answer = await push(hash);
    answered.resolve(undefined);
    expect([answer.status, await answer.json()]).toEqual([202, { result: 'Started' }]);
    await inForce(hash);
    const allowed = await soon('who allowed it', async () => {
      const { policy } = await controller.query<PolicyAnswer>(policyQuery);
      const found = policy?.origin.commit.pullRequest;
      return found?.verified === true ? found : undefined;
    });
    expect(allowed).toEqual({ number: 12, author: 'alex', approvers: ['ada'], verified: true });
    const reviews = await soon('the record of it', async () => {
      const { auditEntries } = await controller.query<ReviewsAnswer>(reviewsQuery);
      return auditEntries.edges.length > 0 ? auditEntries.edges : undefined;
    });
    expect(reviews).toEqual([{ node: { commit: { hash }, pullRequest: allowed } }]);
    await soon('the statuses', () => statusesOf(hash).length === 2 || undefined);
    expect(statusesOf(hash)).toEqual([
      { state: 'pending', context: 'plimsoll/e2e/policies', description: 'being judged' },
      expect.objectContaining({ state: 'success', context: 'plimsoll/e2e/policies' }),
    ]);

    const again = await push(hash);
    expect([again.status, await again.json()]).toEqual([200, { result: 'Duplicate' }]);
  });

  it('reports to the forge what is wrong, and the good policy stays', async () => {
    const good = repository.commit('Add the checkout policy', { 'shop/checkout.yaml': policyText(12) });
    await push(good);
    await inForce(good);
    const bad = repository.commit('Break it', { 'shop/checkout.yaml': policyText('many') });
    allowStatus(bad);
    await push(bad);
    const status = await soon('the failure', () =>
      statusesOf(bad).find((body) => (body as { readonly state: string }).state === 'failure'),
    );
    expect((status as { readonly description: string }).description).toMatch(
      /^1 error: shop\/checkout\.yaml:7:\d+: /,
    );
    await inForce(good);
  });

  it('refuses what is not signed, unknown or no push, and never reveals a secret', async () => {
    const codeOf = async (answer: Response): Promise<unknown> => {
      const { code, result } = (await answer.json()) as { readonly code?: string; readonly result?: string };
      return [answer.status, code ?? result];
    };
    const refused = [401, 'DeliveryRefused'];
    expect(await codeOf(await send({ secret: 'guessed-secret' }))).toEqual(refused);
    expect(await codeOf(await fetch(`${controller.url}/webhooks/policies`, { method: 'POST' }))).toEqual(
      refused,
    );
    expect(await codeOf(await send({}, 'nothing'))).toEqual(refused);
    expect(await codeOf(await send({ event: 'ping' }))).toEqual([200, 'Pong']);
    expect(await codeOf(await send({ ref: 'refs/heads/feature' }))).toEqual([200, 'Ignored']);
    for (const path of ['graphql', 'webhooks/policies/../../graphql', 'webhooks/%2e%2e/graphql', 'webhooks'])
      expect((await fetch(`${controller.url}/${path}`, { method: 'POST' })).status).toBe(401);

    await writeFile(join(folder, 'webhook-secret'), 'webhook-secret-2\n');
    expect(await codeOf(await send({ id: 'new' }))).toEqual(refused);
    expect(await codeOf(await send({ id: 'new', secret: 'webhook-secret-2' }))).toEqual([202, 'Started']);

    const log = JSON.stringify(controller.log);
    expect(log).toContain('webhook refused');
    for (const secret of [webhookSecret, 'webhook-secret-2', 'guessed-secret', forgeToken, 'sha256='])
      expect(log).not.toContain(secret);
  });
});
