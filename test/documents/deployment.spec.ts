import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { readConfiguration } from '#configuration';

const root = join(import.meta.dirname, '..', '..');
const textOf = (file: string): string => readFileSync(join(root, 'deploy', file), 'utf8');

/** What an operator makes of the configuration. */
const withToken = textOf('plimsoll.yaml').replace('0'.repeat(64), 'ab'.repeat(32));

interface Service {
  readonly metadata: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly ports: readonly { readonly name: string; readonly port: number }[] };
}

interface ServiceMonitor {
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly endpoints: readonly [{ readonly port: string; readonly honorLabels: boolean }];
  };
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [
          {
            readonly command: readonly string[];
            readonly env: readonly { readonly name: string; readonly value?: string }[];
            readonly volumeMounts: readonly { readonly mountPath: string }[];
          },
        ];
      };
    };
  };
}

interface Patched {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string }[];
  readonly volumeMounts: readonly object[];
  readonly startupProbe: object;
  readonly livenessProbe: object;
  readonly readinessProbe: object;
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

interface Certificate {
  readonly spec: { readonly dnsNames: readonly string[] };
}

interface Configured {
  readonly listen: { readonly hosts: readonly string[] };
}

interface NetworkPolicy {
  readonly spec: {
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly ingress: readonly {
      readonly from: readonly object[];
      readonly ports: readonly { readonly port: string }[];
    }[];
  };
}

interface Component {
  readonly resources: readonly string[];
  readonly patches: readonly { readonly path: string }[];
}

/** What a component of kustomize does to the Deployment. */
interface Operation {
  readonly op: 'add' | 'replace' | 'remove' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

/** Applies a JSON patch as kustomize does (RFC 6902), for what is patched here. */
function patched(document: unknown, operations: readonly Operation[]): unknown {
  const result = structuredClone(document);
  for (const { op, path, value } of operations) {
    const keys = path.split('/').slice(1);
    const last = keys.pop() ?? '';
    let parent = result as Record<string, unknown>;
    for (const key of keys) parent = parent[key] as Record<string, unknown>;
    if (op === 'test') expect(parent[last]).toEqual(value);
    else if (op === 'remove') Reflect.deleteProperty(parent, last);
    else if (Array.isArray(parent))
      parent.splice(last === '-' ? parent.length : Number(last), Number(op === 'replace'), value);
    else parent[last] = value;
  }
  return result;
}

const { spec: pod } = (parse(textOf('deployment.yaml')) as Deployment).spec.template;
const [container] = pod.containers;

describe('deploy/', () => {
  it('has a configuration that a controller takes, with what its pod tells it', () => {
    const environment = { PLIMSOLL_COORDINATION_ADVERTISED_URL: 'http://10.0.0.7:8080' };
    const file = { name: 'plimsoll.yaml', text: withToken };
    expect(readConfiguration({ file, environment })).toMatchObject({ ok: true });
  });

  it('is refused by a controller before a token of the operator is in it', () => {
    const file = { name: 'plimsoll.yaml', text: textOf('plimsoll.yaml') };
    expect(JSON.stringify(readConfiguration({ file, environment: {} }))).toMatch(
      /auth\.tokens\.0\.sha256.*a placeholder, and the hash of no token: put what/,
    );
  });

  it('has a ServiceMonitor that finds the metrics of the Service, and leaves their labels as they are', () => {
    const service = parse(textOf('service.yaml')) as Service;
    const monitor = parse(textOf('service-monitor.yaml')) as ServiceMonitor;
    const { selector, endpoints } = monitor.spec;
    expect(monitor.metadata.namespace).toBe(service.metadata.namespace);
    expect(service.metadata.labels).toMatchObject(selector.matchLabels);
    expect(service.spec.ports).toContainEqual(
      expect.objectContaining({ name: endpoints[0].port, port: 9090 }),
    );
    expect(endpoints[0].honorLabels).toBe(true);
  });

  it('reads and writes only what is mounted', () => {
    const paths = [...textOf('plimsoll.yaml').matchAll(/(?<=\s)\/[\w/.-]+/g)].map(([path]) => path);
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((path) => !mounts.some((mount) => path.startsWith(mount)))).toEqual([]);
  });

  it('gives the rights that plimsoll rbac prints', () => {
    const cli = join(root, 'apps', 'cli', 'bin', 'plimsoll.js');
    const args = [cli, 'rbac', '--config', join(root, 'deploy', 'plimsoll.yaml')];
    const printed = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' });
    const objectsIn = (text: string): readonly unknown[] =>
      parseAllDocuments(text).map((document) => document.toJS() as unknown);
    expect(objectsIn(textOf('rbac.yaml'))).toEqual(objectsIn(printed));
  });

  describe('with TLS and a NetworkPolicy (components: [tls])', () => {
    const operations = parse(textOf('tls/stateful-set.yaml')) as readonly Operation[];
    const whole = patched(parse(textOf('deployment.yaml')), operations) as Deployment & {
      readonly kind: string;
    };
    const { env, ports, volumeMounts, ...probes } = whole.spec.template.spec
      .containers[0] as unknown as Patched;
    const hosts = (parse(textOf('tls/certificate.yaml')) as Certificate).spec.dnsNames;

    it('has a configuration that a controller takes, and reads only what is mounted', () => {
      const pairs = env.flatMap(({ name, value }) =>
        value === undefined ? [] : [[name, value.replace('$(POD_NAME)', 'plimsoll-0')] as const],
      );
      const file = { name: 'plimsoll.yaml', text: withToken };
      const environment = Object.fromEntries(pairs.filter(([name]) => name.startsWith('PLIMSOLL_')));
      const read = readConfiguration({ file, environment });
      expect(read).toMatchObject({
        ok: true,
        value: {
          listen: { tls: { certFile: '/etc/plimsoll/tls/tls.crt', keyFile: '/etc/plimsoll/tls/tls.key' } },
          coordination: { caFile: '/etc/plimsoll/tls/ca.crt' },
        },
      });
      expect(volumeMounts).toContainEqual(expect.objectContaining({ mountPath: '/etc/plimsoll/tls' }));
      // The certificate names what the others call it by, and what the Service is called by.
      const advertised = new URL(environment['PLIMSOLL_COORDINATION_ADVERTISED_URL'] ?? '');
      expect([advertised.protocol, advertised.port]).toEqual(['https:', '8080']);
      const service = parse(textOf('tls/replicas-service.yaml')) as Named;
      expect(advertised.hostname).toBe(
        `plimsoll-0.${service.metadata.name}.${service.metadata.namespace}.svc`,
      );
      expect(hosts).toContain(advertised.hostname.replace('plimsoll-0', '*'));
      const { hosts: answered } = (parse(withToken) as Configured).listen;
      expect(hosts).toEqual(expect.arrayContaining([...answered]));
    });

    it('is a StatefulSet, whose pods have the names of its Service, and are probed by TLS', () => {
      expect(whole).toMatchObject({ kind: 'StatefulSet', spec: { serviceName: 'plimsoll-replicas' } });
      expect(whole.spec).not.toHaveProperty('strategy');
      expect(JSON.stringify(whole)).not.toContain('pod-template-hash');
      const { startupProbe, livenessProbe, readinessProbe } = probes;
      for (const probe of [startupProbe, livenessProbe, readinessProbe])
        expect(probe).toMatchObject({ httpGet: { scheme: 'HTTPS' } });
    });

    it('lets in the replicas, and nobody to a port that is none', () => {
      const { podSelector, ingress } = (parse(textOf('tls/network-policy.yaml')) as NetworkPolicy).spec;
      expect(whole.spec.template).toMatchObject({ metadata: { labels: podSelector.matchLabels } });
      expect(ingress[0]).toEqual({ from: [{ podSelector }], ports: [{ protocol: 'TCP', port: 'http' }] });
      const known = ports.map(({ name }) => name);
      const named = ingress.flatMap((rule) => rule.ports.map(({ port }) => port));
      expect(named.filter((port) => !known.includes(port))).toEqual([]);
    });

    it('names each of its files, and is named where it is switched on', () => {
      const { resources, patches } = parse(textOf('tls/kustomization.yaml')) as Component;
      const named = ['kustomization.yaml', ...resources, ...patches.map(({ path }) => path)];
      expect(readdirSync(join(root, 'deploy/tls')).toSorted()).toEqual(named.toSorted());
      expect(textOf('kustomization.yaml')).toContain('# components: [tls]');
    });
  });

  it('starts the program as its launcher would, and leaves it the time that its end takes', () => {
    const launcher = readFileSync(join(root, 'apps/controller/bin/plimsoll-controller.js'), 'utf8');
    const flag = /const flag = '([^']+)'/.exec(launcher)?.[1];
    expect(container.command[1]).toBe(flag);
    const runtime = readFileSync(join(root, 'scripts/pinned-runtime.js'), 'utf8');
    const allocator = [...runtime.matchAll(/(MALLOC_\w+): '(\d+)'/g)].map(([, name, value]) => ({
      name,
      value,
    }));
    expect(allocator).toHaveLength(3);
    expect(container.env).toEqual(expect.arrayContaining(allocator));
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
  });
});
