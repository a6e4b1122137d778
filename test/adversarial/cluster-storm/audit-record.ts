import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type { ReplicaWrite } from '../storm/replica-record.ts';

/** A write of an HPA that the API server carried out. */
export interface HpaWrite {
  readonly name: string;
  readonly verb: 'Create' | 'Update' | 'Delete';
  readonly manager: string;
  readonly uid: string;
  /** Of the HPA after the write; of one that is deleted, the one before. */
  readonly resourceVersion: string;
}

/** A change of a count, with who sent it, and when that arrived. */
export interface AuditedReplicaWrite extends ReplicaWrite {
  /** As it is authenticated. */
  readonly user: string;
  /** RFC 3339; {@link ReplicaWrite.time} is when it was answered. */
  readonly receivedAt: string;
}

/** Everything that was written, in the order in which the API server carried it out. */
export interface AuditRecord {
  readonly replicas: readonly AuditedReplicaWrite[];
  readonly hpas: readonly HpaWrite[];
}

/** A write of a Lease that the API server carried out. */
export interface LeaseWrite {
  readonly name: string;
  readonly user: string;
  /** Null: it was released, or deleted. */
  readonly holder: string | null;
  /** RFC 3339, when it was answered. */
  readonly time: string;
}

/** Where the Leases of tests are. */
export const leaseNamespace = 'plimsoll-system';

/** Every write with what was sent and what came of it; reads are left out. */
const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {
      level: 'RequestResponse',
      verbs: ['create', 'update', 'patch', 'delete'],
      resources: [
        { group: 'autoscaling', resources: ['horizontalpodautoscalers'] },
        { group: 'apps', resources: ['deployments', 'deployments/scale'] },
      ],
    },
    {
      level: 'RequestResponse',
      verbs: ['create', 'update', 'patch', 'delete'],
      namespaces: [leaseNamespace],
      resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }],
    },
    { level: 'None' },
  ],
};

/** Makes an API server write down what it carries out; its flags, and where the record is. */
export async function auditTo(
  folder: string,
): Promise<{ readonly file: string; readonly flags: readonly string[] }> {
  const policyFile = join(folder, 'audit-policy.json');
  const file = join(folder, 'audit.log');
  await writeFile(policyFile, JSON.stringify(policy));
  return { file, flags: [`--audit-policy-file=${policyFile}`, `--audit-log-path=${file}`] };
}

/** Reads the record of one namespace. */
export async function readAudit(file: string, namespace: string): Promise<AuditRecord> {
  const events = await eventsOf(file, namespace);
  const ofResource = (resource: string): readonly JsonObject[] =>
    events.filter((event) => textAt(event, 'objectRef', 'resource') === resource);
  return {
    replicas: replicaWrites(inOrder(ofResource('deployments'))),
    hpas: ofResource('horizontalpodautoscalers').map(hpaWrite),
  };
}

/** Reads what was written of Leases, in the order of the answers. */
export async function readLeaseWrites(file: string): Promise<readonly LeaseWrite[]> {
  const events = await eventsOf(file, leaseNamespace);
  return events
    .filter((event) => textAt(event, 'objectRef', 'resource') === 'leases')
    .map((event) => ({
      name: textAt(event, 'objectRef', 'name') || textAt(event, 'responseObject', 'metadata', 'name'),
      user: textAt(event, 'user', 'username'),
      holder: textAt(event, 'responseObject', 'spec', 'holderIdentity') || null,
      time: textAt(event, 'stageTimestamp'),
    }))
    .toSorted((a, b) => (a.time < b.time ? -1 : 1));
}

async function eventsOf(file: string, namespace: string): Promise<readonly JsonObject[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  // What follows the last line break is half a line: the API server is writing it, or was killed while it did.
  return lines
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonObject)
    .filter((event) => textAt(event, 'objectRef', 'namespace') === namespace && isCarriedOut(event));
}

function isCarriedOut(event: JsonObject): boolean {
  const code = at(event, 'responseStatus', 'code');
  return typeof code === 'number' && code < 300;
}

/** Versions count the writes of the whole cluster. */
function inOrder(events: readonly JsonObject[]): readonly JsonObject[] {
  return events.toSorted((a, b) => Number(versionOf(a)) - Number(versionOf(b)));
}

function versionOf(event: JsonObject): string {
  return textAt(event, 'responseObject', 'metadata', 'resourceVersion');
}

/** What changed a count: a Deployment's status is no resource of the record, and its other writes keep the count. */
function replicaWrites(events: readonly JsonObject[]): readonly AuditedReplicaWrite[] {
  const counts = new Map<string, number>();
  return events.flatMap((event) => {
    const workload = textAt(event, 'responseObject', 'metadata', 'name');
    const to = at(event, 'responseObject', 'spec', 'replicas');
    const from = counts.get(workload);
    if (typeof to !== 'number') return [];
    counts.set(workload, to);
    if (from === undefined || from === to) return [];
    const [user, receivedAt] = [textAt(event, 'user', 'username'), textAt(event, 'requestReceivedTimestamp')];
    const time = textAt(event, 'stageTimestamp');
    return [{ workload, manager: managerOf(event), from, to, time, user, receivedAt }];
  });
}

const verbs = { create: 'Create', update: 'Update', patch: 'Update', delete: 'Delete' } as const;

function hpaWrite(event: JsonObject): HpaWrite {
  const verb = textAt(event, 'verb') as keyof typeof verbs;
  // A deletion is answered with a Status, which names what is gone.
  const uid = textAt(event, 'responseObject', 'metadata', 'uid');
  return {
    name: textAt(event, 'objectRef', 'name') || textAt(event, 'responseObject', 'metadata', 'name'),
    verb: verbs[verb],
    manager: managerOf(event),
    uid: uid === '' ? textAt(event, 'responseObject', 'details', 'uid') : uid,
    resourceVersion: versionOf(event),
  };
}

const nativeUser = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';

/** Who wrote, as managedFields calls it: what a client says of itself, else its user. */
function managerOf(event: JsonObject): string {
  const named = new URL(textAt(event, 'requestURI'), 'https://server').searchParams.get('fieldManager');
  if (named !== null) return named;
  const agent = textAt(event, 'userAgent');
  if (textAt(event, 'user', 'username') === nativeUser) return 'kube-controller-manager';
  return agent.startsWith('plimsoll') ? 'plimsoll' : agent;
}

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const key of path) found = isJsonObject(found) ? found[key] : undefined;
  return found;
}

function textAt(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}
