import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { readConfiguration } from '#configuration';

const root = join(import.meta.dirname, '..', '..');
const textOf = (file: string): string => readFileSync(join(root, 'deploy', file), 'utf8');

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

describe('deploy/', () => {
  it('has a configuration that a controller takes, with what its pod tells it', () => {
    const environment = { PLIMSOLL_COORDINATION_ADVERTISED_URL: 'http://10.0.0.7:8080' };
    const file = { name: 'plimsoll.yaml', text: textOf('plimsoll.yaml') };
    expect(readConfiguration({ file, environment })).toMatchObject({ ok: true });
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
