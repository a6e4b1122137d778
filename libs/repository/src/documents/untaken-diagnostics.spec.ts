import { expect, it } from '@jest/globals';
import { pathText, readPolicyFile } from '#policy';
import { unusableDiagnostics } from './untaken-diagnostics.ts';

it('says beside a value that is not clear what a policy lacks, but for what defaults may fill in: nothing of its own, and no item of a list', () => {
  const text = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: a }
spec:
  interval: yes
  scaleTargetRef: { kind: Deployment, name: a }
  freeze: [{ name: a, cron: '0 0 * * *', timeZone: UTC, duration: 1h }]
  behavior: { scaleUp: { policies: [{ type: Pods, value: 1 }] } }
`;
  const { documents } = readPolicyFile({ file: 'a.yaml', bytes: new TextEncoder().encode(text) });
  const found = documents.flatMap((document) => unusableDiagnostics(document));
  expect(found.map(({ code, path }) => `${code} ${pathText(path)}`)).toEqual([
    'AmbiguousScalar spec.interval',
    'Required spec.scaleTargetRef.apiVersion',
    'Required spec.freeze[0].direction',
    'Required spec.behavior.scaleUp.policies[0].periodSeconds',
  ]);
});
