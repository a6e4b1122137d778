import { expect, it } from '@jest/globals';
import { formatHuman } from './human.ts';

const policy = { policy: 'shop/api', change: 'Changed', file: 'shop/api.yaml', line: 3 } as const;

it('shows what one side alone has value by value, so that none is cut off', () => {
  const scaleDown = { selectPolicy: 'Max', stabilizationWindowSeconds: 600, policies: [{ type: 'Pods' }] };
  const fields = [
    { path: 'behavior', after: { scaleDown, scaleUp: {} } },
    { path: 'metadata.labels', before: { team: 'shop' } },
    { path: 'maxReplicas', before: 6, after: 8 },
  ];
  const report = {
    base: 'HEAD~1',
    head: 'HEAD',
    differences: [{ ...policy, fields }],
    errors: [],
    unchanged: 0,
  };
  expect(formatHuman(report, { isColoured: false }).split('\n').slice(1, -2)).toEqual([
    '    behavior.scaleDown.selectPolicy                + Max',
    '    behavior.scaleDown.stabilizationWindowSeconds  + 600',
    '    behavior.scaleDown.policies                    + [{"type":"Pods"}]',
    '    behavior.scaleUp                               + {}',
    '    metadata.labels.team                           - shop',
    '    maxReplicas                                    6 → 8',
  ]);
});
