import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Configuration, configurationSchema } from '#configuration';
import { type Simulator, startDemo } from '#simulator';
import { grantEverywhere } from '../auth/callers/principal.ts';
import { createToken } from '../auth/identities/token-authenticator.ts';
import { createLog } from '../logging/create-log.ts';
import { type RunningController, startController } from '../start-controller.ts';
import { stopSignal, whenAborted } from '../start-up/stop-signal.ts';
import { createDemoRepository, type DemoRepository } from './demo-repository.ts';

/** After so long a person has seen the cluster at rest, and the checkout policy is merged. */
const mergeAfterMilliseconds = 4_000;

const syncInterval = '5s';

/** With an address of its own, so that it may approve what the repository's author commits. */
const demoPrincipal = { name: 'demo', grants: grantEverywhere('admin'), email: 'demo@plimsoll.example' };

/**
 * The demo: a simulated cluster, a real Git repository made of `config-repo-example`, and the controller as it is,
 * until Ctrl-C. Everything lives in one temporary folder, which goes with it.
 */
export async function runDemo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-demo-'));
  const { logger } = createLog({ level: 'info', format: 'text' }, 'demo');
  const stopping = stopSignal(logger);
  const simulator = await startDemo();
  let controller: RunningController | undefined;
  let merged: Promise<void> | undefined;
  try {
    const repository = await createDemoRepository({
      example: exampleFolder(),
      folder: join(folder, 'policies'),
    });
    const configuration = await demoConfiguration({ folder, simulator, repository });
    const { token, record } = createToken(demoPrincipal);
    controller = await startController({ configuration, tokens: [record], logger }, stopping);
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, `${token}\n`, { mode: 0o600 });
    process.stdout.write(introduction({ controller, repository, token, tokenFile }));
    const merging = setTimeout(() => {
      merged = mergeCheckout(repository, controller, logger).catch((error: unknown) => {
        // Of a demo that ends, its Git and its folder are gone.
        if (!stopping.aborted) logger.error({ err: error }, 'the demo could not merge');
      });
    }, mergeAfterMilliseconds);
    await whenAborted(stopping);
    clearTimeout(merging);
  } finally {
    await controller?.stop();
    await merged;
    logger.info('ended');
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface DemoOptions {
  readonly folder: string;
  readonly simulator: Simulator;
  readonly repository: DemoRepository;
}

async function demoConfiguration({ folder, simulator, repository }: DemoOptions): Promise<Configuration> {
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, simulator.kubeconfigYaml, { mode: 0o600 });
  return configurationSchema.parse({
    cluster: { name: 'demo', kubeconfig },
    mode: 'Act',
    namespaces: ['*'],
    dataFolder: join(folder, 'data'),
    sources: [{ name: 'policies', url: repository.url, interval: syncInterval, unknownApprovers: 'Allowed' }],
    database: { url: `sqlite:${join(folder, 'ledger.db')}` },
    // One token asks for everything here, also what tries the API out.
    listen: { port: 0, metricsPort: 0, requestsPerSecond: { perCaller: 10_000, perAddress: 10_000 } },
    graphql: { graphiql: true },
    settings: { downscaleStabilizationSeconds: 30 },
  });
}

async function mergeCheckout(
  repository: DemoRepository,
  controller: RunningController | undefined,
  logger: Logger,
) {
  const commit = await repository.commitCheckoutPolicy();
  logger.info({ sentence: `merged into the repository: ${commit}` }, 'merged');
  await controller?.syncNow();
}

function introduction({ controller, repository, token, tokenFile }: Introduction): string {
  const query =
    '{scalingEvents(first:3){edges{node{policy{namespace name} from to decision{reason steps{rule because} commit{hash author subject}}}}}}';
  return [
    '',
    'Plimsoll demo: a simulated cluster, a real Git repository, real decisions. Ctrl-C ends it.',
    '',
    `  console    ${controller.url}/login#${token}`,
    `  policies   ${repository.folder}   (a Git repository: edit, commit, and see it take effect)`,
    `  GraphQL    ${controller.url}/graphql`,
    `  GraphiQL   ${controller.url}/graphiql   (queries written by hand; signed in as the console)`,
    `  health     ${controller.url}/readyz`,
    `  metrics    ${controller.metricsUrl}`,
    `  token      ${token}   (valid until this process ends)`,
    '',
    '  Ask why:',
    `  npx plimsoll login --server ${controller.url} --token-file ${tokenFile} && npx plimsoll why shop/checkout`,
    '  or',
    `  curl -s ${controller.url}/graphql -H 'authorization: Bearer ${token}' -H 'content-type: application/json' \\`,
    `    -d '{"query":"${query}"}'`,
    '',
    '',
  ].join('\n');
}

interface Introduction {
  readonly controller: RunningController;
  readonly repository: DemoRepository;
  readonly token: string;
  readonly tokenFile: string;
}

/** The example beside the sources; this file is one folder deeper when it is built. */
function exampleFolder(): string {
  const up = import.meta.filename.endsWith('.js') ? '../../../../..' : '../../../..';
  return join(import.meta.dirname, up, 'config-repo-example');
}
