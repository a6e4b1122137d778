import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { openKubernetes, reviewRules } from '#adapter-kubernetes';
import { KubernetesAuthenticator } from '../../apps/controller/src/auth/identities/kubernetes-authenticator.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { eventually } from '../control-plane/poll.ts';

const startMilliseconds = 120_000;

let cluster: ControlPlane;
let kubernetes: ReturnType<typeof openKubernetes>;

beforeAll(async () => {
  cluster = await startControlPlane();
  for (const namespace of ['shop', 'pay']) {
    await cluster.kubectl(['create', 'namespace', namespace]);
    await cluster.kubectl(['create', 'serviceaccount', 'ci', '--namespace', namespace]);
  }
  await cluster.kubectl(['apply', '-f', '-'], manifests());
  // The API server authorizes by a cache of what was applied.
  await untilAllowed('plimsoll', {
    verb: 'create',
    group: 'authentication.k8s.io',
    resource: 'tokenreviews',
  });
  const policies = { group: 'plimsoll.dev', resource: 'policies' };
  await untilAllowed('system:serviceaccount:shop:ci', { ...policies, verb: 'operate', namespace: 'shop' });
  await untilAllowed('system:serviceaccount:pay:ci', { ...policies, verb: 'approve' });
  // With no rights but those that `plimsoll rbac` prints for it.
  kubernetes = openKubernetes({
    connection: { kind: 'Kubeconfig', path: cluster.kubeconfigFor({ commonName: 'plimsoll' }) },
    namespaces: ['shop'],
    isReadOnly: true,
    log: { write: () => undefined },
  });
}, startMilliseconds);
afterAll(async () => {
  await kubernetes.stop();
  await cluster.stop();
});

async function untilAllowed(user: string, resourceAttributes: object): Promise<void> {
  await eventually({
    description: `${user} to be allowed ${JSON.stringify(resourceAttributes)}`,
    timeoutMilliseconds: startMilliseconds,
    probe: async () => {
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };
      const { body } = await cluster.api({
        method: 'POST',
        path,
        body: { ...review, spec: { user, resourceAttributes } },
      });
      return (body as { readonly status: { readonly allowed: boolean } }).status.allowed || undefined;
    },
  });
}

function manifests(): string {
  const role = (
    name: string,
    namespace: string | null,
    { rules, subject }: { readonly rules: readonly object[]; readonly subject: object },
  ): readonly object[] => {
    const kind = namespace === null ? 'ClusterRole' : 'Role';
    const metadata = namespace === null ? { name } : { name, namespace };
    const apiGroup = 'rbac.authorization.k8s.io';
    const apiVersion = `${apiGroup}/v1`;
    return [
      { apiVersion, kind, metadata, rules },
      {
        apiVersion,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup, kind, name },
        subjects: [subject],
      },
    ];
  };
  const on = (verbs: readonly string[]) => [{ apiGroups: ['plimsoll.dev'], resources: ['policies'], verbs }];
  const ci = (namespace: string) => ({ kind: 'ServiceAccount', name: 'ci', namespace });
  return [
    ...role('plimsoll', null, { rules: reviewRules, subject: { kind: 'User', name: 'plimsoll' } }),
    ...role('operator', 'shop', { rules: on(['get', 'operate']), subject: ci('shop') }),
    ...role('approver', null, { rules: on(['get', 'operate', 'approve']), subject: ci('pay') }),
  ]
    .map((document) => stringify(document))
    .join('---\n');
}

const tokenOf = async (namespace: string, ...args: readonly string[]): Promise<string> =>
  (await cluster.kubectl(['create', 'token', 'ci', '--namespace', namespace, ...args])).trim();

const authenticator = (audiences: readonly string[] = []) =>
  new KubernetesAuthenticator({ reviews: kubernetes.reviews, audiences, namespaces: () => ['shop', 'pay'] });

it('knows a service account, and its role by what RBAC allows, while it only observes', async () => {
  expect(await authenticator().authenticate(await tokenOf('shop'))).toEqual({
    name: 'kubernetes:system:serviceaccount:shop:ci',
    grants: [{ role: 'operator', namespaces: ['shop'] }],
  });
  expect(await authenticator().authenticate(await tokenOf('pay'))).toEqual({
    name: 'kubernetes:system:serviceaccount:pay:ci',
    grants: [{ role: 'approver', namespaces: ['*'] }],
  });
});

it('goes by the audience that a token is for', async () => {
  const ours = await tokenOf('shop', '--audience', 'plimsoll');
  expect(await authenticator(['plimsoll']).authenticate(ours)).toMatchObject({
    name: 'kubernetes:system:serviceaccount:shop:ci',
  });
  expect(await authenticator().authenticate(ours)).toBeUndefined();
  expect(await authenticator(['plimsoll']).authenticate(await tokenOf('shop'))).toBeUndefined();
});

it('refuses a token that is changed, or none', async () => {
  const token = await tokenOf('shop');
  expect(await authenticator().authenticate(`${token.slice(0, -10)}AAAAAAAAAA`)).toBeUndefined();
  expect(await authenticator().authenticate('a.b.c')).toBeUndefined();
});
