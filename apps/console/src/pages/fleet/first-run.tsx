import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { links } from '../../navigation/links.ts';

const example = `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: {name: checkout, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: checkout}
  minReplicas: 4
  maxReplicas: 20
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}`;

/** What to do where no policy is in force. */
export function FirstRun({ hasSource }: { readonly hasSource: boolean }): ReactElement {
  return (
    <EmptyState title={texts.first.title}>
      <p>{hasSource ? texts.first.text : texts.first.noSource}</p>
      <pre className="code">{example}</pre>
      <Link className="button" to={links.sources}>
        {texts.first.sources}
      </Link>
    </EmptyState>
  );
}
