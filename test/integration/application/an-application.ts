import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestApplicationOptions } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import pino, { type Logger } from 'pino';
import { KubernetesReviews } from '#adapter-kubernetes';
import { configurationSchema } from '#configuration';
import { InMemoryLeases } from '#coordination/testing';
import {
  FakeCompetingAutoscalers,
  FakeKubernetesEvents,
  FakeMetrics,
  FakeNativeAutoscalers,
  FakeObjects,
  FakeOwners,
  FakePods,
  FakeRecommenders,
  FakeReplicaChanges,
  FakeScales,
} from '#reconciliation/testing';
import { AppModule } from '../../../apps/controller/src/app.module.ts';
import {
  grantEverywhere,
  type Principal,
  type Role,
} from '../../../apps/controller/src/auth/callers/principal.ts';
import {
  createToken,
  type TokenRecord,
} from '../../../apps/controller/src/auth/identities/token-authenticator.ts';
import { clusterToken } from '../../../apps/controller/src/cluster/cluster.module.ts';
import type { Cluster } from '../../../apps/controller/src/cluster/open-cluster.ts';
import {
  configureApplication,
  createHttpAdapter,
} from '../../../apps/controller/src/configure-application.ts';
import { HttpListener } from '../../../apps/controller/src/http/http-listener.ts';
import { loadTlsCertificate } from '../../../apps/controller/src/http/tls-files.ts';
import { createPolicyRepository, type PolicyRepository } from '../../e2e/support/policy-repository.ts';
import { migratedAhead } from '../../support/migrated-ahead.ts';

import 'reflect-metadata';

/** The controller's application, all of it real but for the cluster. */
export interface AnApplication {
  readonly nest: NestFastifyApplication;
  readonly folder: string;
  readonly repository: PolicyRepository;
  /** Lines of the log, at info and above. */
  readonly log: readonly LogLine[];
  readonly tokens: Readonly<Record<Role, string>>;
  /** Of the tokens, as the configuration has them. */
  readonly tokenRecords: readonly TokenRecord[];
  /** Of the callers that the test names, by name. */
  readonly callerTokens: Readonly<Record<string, string>>;
  /** To be read once it listens. */
  readonly url: () => string;
  /** Sends a GraphQL document; with the administrator's token unless another is given. */
  readonly ask: (query: string, role?: Role) => Promise<GraphqlAnswer>;
  /** The same with the token of a caller that the test names. */
  readonly askAs: (caller: string, query: string) => Promise<GraphqlAnswer>;
  readonly close: () => Promise<void>;
}

/** One line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: number; readonly msg: string };

/** An answer of the GraphQL API. */
export interface GraphqlAnswer {
  readonly status: number;
  readonly body: {
    readonly data: unknown;
    readonly errors?: readonly {
      readonly message: string;
      readonly extensions: { readonly code: string };
    }[];
  };
}

/** What a test selects of a mutation's result that it may be refused. */
export const orRefusal = '... on ActionRefusal { code message }';

/** The code of each error of an answer and of each action that was refused. */
export function codesOf({ body }: GraphqlAnswer): readonly string[] {
  const results = Object.values(
    (body.data ?? {}) as Readonly<Record<string, { readonly code?: string } | null>>,
  );
  return [
    ...(body.errors ?? []).map(({ extensions }) => extensions.code),
    ...results.flatMap((result) => result?.code ?? []),
  ];
}

/** What differs from the usual. */
export interface ApplicationOptions {
  /** Of the configuration; a function is given the application's folder. */
  readonly configuration?: object | ((folder: string) => object);
  /** Callers beside one of each role. */
  readonly callers?: readonly Principal[];
  /** Another application, whose tokens of the roles this one knows, too; absent: it has its own. */
  readonly tokensOf?: Pick<AnApplication, 'tokens' | 'tokenRecords'> | undefined;
  readonly override?: (testing: TestingModuleBuilder) => TestingModuleBuilder;
}

const plain: NestApplicationOptions = { bodyParser: false, logger: false };

/** Makes an application on a new SQLite file and Git repository; `nest.init()` starts it. */
export async function anApplication(options: ApplicationOptions = {}): Promise<AnApplication> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-application-'));
  const repository = createPolicyRepository(join(folder, 'policies'));
  const log: LogLine[] = [];
  const { tokens, tokenRecords } = options.tokensOf ?? someTokens();
  const made = (options.callers ?? []).map((caller) => ({ caller, ...createToken(caller) }));
  const callerTokens = Object.fromEntries(made.map(({ caller, token }) => [caller.name, token]));
  const configuration = configurationSchema.parse({
    cluster: { name: 'test' },
    mode: 'Act',
    namespaces: ['shop'],
    dataFolder: join(folder, 'data'),
    sources: [{ name: 'policies', url: repository.url, interval: '1h' }],
    database: { url: await migratedAhead(`sqlite:${join(folder, 'ledger.db')}`) },
    listen: { port: 0, metricsPort: 0 },
    ...(typeof options.configuration === 'function'
      ? (options.configuration as (folder: string) => object)(folder)
      : options.configuration),
  });
  const testing = Test.createTestingModule({
    imports: [
      AppModule.forRoot({
        configuration,
        tokens: [...tokenRecords, ...made.map(({ record }) => record)],
        logger: recordingLogger(log),
      }),
    ],
  })
    .overrideProvider(clusterToken)
    .useValue(aCluster());
  const module = await (options.override?.(testing) ?? testing).compile();
  const { tls } = configuration.listen;
  const certificate = tls === undefined ? undefined : await loadTlsCertificate(tls);
  const adapter = createHttpAdapter([], certificate);
  const nest = module.createNestApplication<NestFastifyApplication>(adapter, plain);
  configureApplication(nest);
  nest.get(HttpListener).noteShown(certificate);
  const url = (): string => nest.get(HttpListener).url;
  return {
    nest,
    folder,
    repository,
    log,
    tokens,
    tokenRecords,
    callerTokens,
    url,
    ask: (query, role = 'admin') => ask(url(), tokens[role], query),
    askAs: (caller, query) => ask(url(), callerTokens[caller] ?? '', query),
    close: async () => {
      await nest.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function someTokens() {
  const made = (['viewer', 'operator', 'approver', 'admin'] as const).map((role) => ({
    role,
    ...createToken({ name: `the-${role}`, grants: grantEverywhere(role), email: `${role}@example.com` }),
  }));
  const tokens = Object.fromEntries(made.map(({ role, token }) => [role, token])) as Record<Role, string>;
  return { tokens, tokenRecords: made.map(({ record }) => record) };
}

function recordingLogger(log: LogLine[]): Logger {
  return pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line) as LogLine) });
}

/** A cluster in memory whose caches are listed at once. */
export function aCluster(): Cluster {
  return {
    kubernetes: {
      server: 'https://cluster.example',
      pods: new FakePods(),
      owners: new FakeOwners(),
      objects: new FakeObjects(),
      scales: new FakeScales(),
      replicaChanges: new FakeReplicaChanges(),
      autoscalers: new FakeNativeAutoscalers(),
      competingAutoscalers: new FakeCompetingAutoscalers(),
      events: new FakeKubernetesEvents(),
      createClient: () => ({ json: () => Promise.reject(new Error('no cluster')) }),
      reviews: new KubernetesReviews({ json: () => Promise.reject(new Error('no cluster')) }),
      leasesOf: () => new InMemoryLeases(),
      clusterUid: () => Promise.resolve('the-cluster'),
      resourceNameOf: () => Promise.reject(new Error('no cluster')),
      start: () => undefined,
      whenSynced: () => Promise.resolve(),
      setReadOnly: () => undefined,
      health: () => ({
        informers: [],
        unlisted: [],
        pods: 0,
        ownerCache: {
          hits: 0,
          misses: 0,
          evictions: 0,
          entries: 0,
          lookups: { watched: 0, found: 0, absent: 0, failed: 0 },
        },
        events: { delivered: 0, dropped: 0, refusedSince: undefined },
      }),
      stop: () => Promise.resolve(),
    },
    metrics: Object.assign(new FakeMetrics(), {
      recommenders: new FakeRecommenders(),
      sources: () => [],
      reconfigure: () => undefined,
      close: () => Promise.resolve(),
    }),
    reconfigure: () => undefined,
    stop: () => Promise.resolve(),
  };
}

async function ask(url: string, token: string, query: string): Promise<GraphqlAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, body: (await response.json()) as GraphqlAnswer['body'] };
}
