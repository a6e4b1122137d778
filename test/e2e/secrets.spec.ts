import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Simulator, startSimulator } from '#simulator';
import { HttpGitServer } from '../integration/git-sync/support/http-git-server.ts';
import { type ForgeServer, startForgeServer } from '../support/forge-server.ts';
import { shownSecrets, showsProcesses } from '../support/shown-secrets.ts';
import { aDelivery } from '../support/webhook-deliveries.ts';
import { type ControllerProcess, startControllerProcess } from './support/controller-process.ts';
import { createPolicyRepository, type PolicyRepository } from './support/policy-repository.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

const secrets = {
  oldToken: 'g1t-token-0ld',
  newToken: 'g1t-token-n3w',
  webhook: 'w3bhook-s3cret',
  forge: 'f0rge-t0ken',
};
const every = Object.values(secrets);
const policyText = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: checkout, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 2
  maxReplicas: 9
`;

describe('secrets, over a sync that fails and one that succeeds', () => {
  let folder: string;
  let simulator: Simulator;
  let repository: PolicyRepository;
  let git: HttpGitServer;
  let forge: ForgeServer;
  let controller: ControllerProcess;
  let shown: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plimsoll-secrets-'));
    simulator = await startSimulator();
    repository = createPolicyRepository(join(folder, 'policies'));
    git = new HttpGitServer(join(folder, 'policies'));
    git.credentials = `bot:${secrets.newToken}`;
    shown = [];
    if (showsProcesses()) git.onRequest = () => shown.push(...shownSecrets(every));
    forge = await startForgeServer({ header: 'authorization', value: () => 'Bearer another' });
    await writeFile(join(folder, 'kubeconfig'), simulator.kubeconfigYaml);
    await writeFile(join(folder, 'token'), `${secrets.oldToken}\n`);
    await writeFile(join(folder, 'webhook'), `${secrets.webhook}\n`);
    await writeFile(join(folder, 'forge'), `${secrets.forge}\n`);
    controller = await startControllerProcess(folder, await configuration());
  });
  afterEach(async () => {
    await controller.kill();
    await Promise.all([git.stop(), forge.stop(), simulator.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const configuration = async (): Promise<object> => ({
    cluster: { name: 'e2e', kubeconfig: join(folder, 'kubeconfig') },
    mode: 'Observe',
    namespaces: ['shop'],
    dataFolder: join(folder, 'data'),
    sources: [
      {
        name: 'policies',
        url: await git.start(),
        interval: '24h',
        credentials: { tokenFile: join(folder, 'token'), username: 'bot' },
        webhook: { provider: 'gitlab', secretFile: join(folder, 'webhook') },
        forge: {
          provider: 'github',
          apiUrl: forge.url,
          repository: 'acme/policies',
          tokenFile: join(folder, 'forge'),
        },
      },
    ],
    database: { url: `sqlite:${join(folder, 'data', 'ledger.db')}` },
  });
  const lastSync = async (): Promise<{ readonly result: string; readonly message: string } | undefined> => {
    const { sources } = await controller.query<{
      readonly sources: readonly {
        readonly lastSync: { readonly result: string; readonly message: string } | null;
      }[];
    }>('{ sources { lastSync { result message } } }');
    return sources[0]?.lastSync ?? undefined;
  };

  it('stand in no argument, environment, log, answer, database or folder', async () => {
    expect(await lastSync()).toMatchObject({
      result: 'failed',
      message: expect.stringContaining('AuthenticationFailed') as unknown,
    });
    const refused = JSON.stringify(await lastSync());

    await writeFile(join(folder, 'token'), `${secrets.newToken}\n`);
    repository.commit('Add the checkout policy', { 'shop/checkout.yaml': policyText });
    const { headers, body } = aDelivery('gitlab', { secret: secrets.webhook });
    const answer = await fetch(`${controller.url}/webhooks/policies`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: new Uint8Array(body),
    });
    const answered = await answer.text();
    const synced = await soon('the policy in force', async () => {
      const seen = await lastSync();
      return seen?.result === 'active' ? seen : undefined;
    });
    await soon('the refusal of the forge', () =>
      controller.log.find(({ msg }) => msg === 'given up at the forge'),
    );

    expect(git.requests.length).toBeGreaterThan(3);
    expect(shown).toEqual([]);
    const texts = [refused, answered, JSON.stringify(synced), JSON.stringify(controller.log)];
    for (const file of await filesBelow(join(folder, 'data'))) texts.push(await readFile(file, 'latin1'));
    expect(texts.length).toBeGreaterThan(5);
    for (const secret of every) expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });
});

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
