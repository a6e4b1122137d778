import { describe, expect, it } from '@jest/globals';
import type { RepositoryDocument } from '../documents/repository-reading.ts';
import { findConflicts, findConflictsInSteps } from './find-conflicts.ts';

const document = (
  file: string,
  name: string,
  place: { target?: string; tenant?: string } = {},
): RepositoryDocument => ({
  role: 'Policy',
  tenant: place.tenant ?? '',
  kind: 'AutoscalingPolicy',
  name,
  namespace: 'shop',
  file,
  blob: file,
  position: { line: 1, column: 1 },
  isListed: false,
  value: {
    metadata: { name, namespace: 'shop' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: place.target ?? 'web' } },
  },
  locate: ([first]) => ({ line: first === 'metadata' ? 3 : 5, column: 1 }),
});

const found = (...policies: readonly RepositoryDocument[]): readonly string[] =>
  findConflicts({ policies, inForce: [], foreign: [] }).amongNewcomers.map(
    ({ code, file, line, message }) => `${file}:${line} ${code} ${message}`,
  );

describe('documents that cannot be active together', () => {
  it('have one error where one is a copy of the other', () => {
    expect(found(document('a.yaml', 'web'), document('b.yaml', 'web'))).toEqual([
      'b.yaml:3 DuplicateName policy shop/web (Deployment web) is also at a.yaml:1:1',
    ]);
  });

  it('have one error where they share their target', () => {
    expect(found(document('a.yaml', 'one'), document('b.yaml', 'two'), document('c.yaml', 'two'))).toEqual([
      'c.yaml:3 DuplicateName policy shop/two (Deployment web) is also at b.yaml:1:1',
      'b.yaml:5 DuplicateTarget Deployment web has policy shop/two and shop/one at a.yaml:1:1',
    ]);
  });

  it('have one error in each tenant, which is rejected for it', () => {
    expect(
      found(
        document('x/a.yaml', 'web', { tenant: 'x' }),
        document('y/b.yaml', 'web', { tenant: 'y', target: 'b' }),
      ),
    ).toEqual([
      'x/a.yaml:3 DuplicateName policy shop/web (Deployment web) is also at y/b.yaml:1:1',
      'y/b.yaml:3 DuplicateName policy shop/web (Deployment b) is also at x/a.yaml:1:1',
    ]);
  });

  it('are found one name and one target per step, so that a caller may serve others between them', () => {
    const policies = Array.from({ length: 100 }, (_, index) =>
      document(`${index}.yaml`, `web-${index}`, { target: `web-${index}` }),
    );
    const input = { policies: [...policies, document('copy.yaml', 'web-7')], inForce: [], foreign: [] };
    const steps = findConflictsInSteps(input);
    let taken = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) taken += 1;
    expect(taken).toBeGreaterThanOrEqual(200);
    expect(step.value).toEqual(findConflicts(input));
    expect(step.value.amongNewcomers).toHaveLength(1);
  });

  it('name every place in the error', () => {
    const [conflict] = findConflicts({
      policies: [document('a.yaml', 'web'), document('b.yaml', 'web'), document('c.yaml', 'web')],
      inForce: [],
      foreign: [],
    }).amongNewcomers;
    expect(conflict?.related).toEqual([
      { file: 'a.yaml', line: 3, column: 1 },
      { file: 'b.yaml', line: 3, column: 1 },
    ]);
  });

  it('say of what another source has that it may be that source that has to leave', () => {
    const policies = [document('a.yaml', 'one'), document('b.yaml', 'two', { target: 'other' })];
    const foreign = [
      { source: 'former', namespace: 'shop', name: 'two', targetKey: 'elsewhere' },
      { source: 'former', namespace: 'shop', name: 'three', targetKey: 'shop apps Deployment web' },
    ];
    const { withInForce } = findConflicts({ policies, inForce: [], foreign });
    expect(withInForce.map(({ hint }) => hint)).toEqual([
      'a name has one policy: delete or rename one of them; where source former is to leave, approve its hold',
      'a target has one policy: delete one of them; where source former is to leave, approve its hold',
    ]);
  });
});
