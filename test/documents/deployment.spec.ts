import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
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

const { spec: pod } = (parse(textOf('deployment.yaml')) as Deployment).spec.template;
const [container] = pod.containers;

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

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
    const file = join(folder, 'plimsoll.yaml');
    writeFileSync(file, withToken);
    const args = [cli, 'rbac', '--config', file];
    const printed = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' });
    const objectsIn = (text: string): readonly unknown[] =>
      parseAllDocuments(text).map((document) => document.toJS() as unknown);
    expect(objectsIn(textOf('rbac.yaml'))).toEqual(objectsIn(printed));
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
