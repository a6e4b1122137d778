import { kwokNodeName } from '../control-plane/components/kwok.ts';
import type { Scenario } from './scenarios.ts';

export const twinNamespace = 'twins';

/**
 * Who scales a target: the native controller by an HPA that was applied, Plimsoll by a policy, or the native controller
 * by the HPA that Plimsoll renders.
 */
export const twins = ['native', 'scale', 'rendered'] as const;
export type Twin = (typeof twins)[number];

/** The name of a scenario's target, and of what scales it. */
export function twinName({ name }: Pick<Scenario, 'name'>, twin: Twin): string {
  return `${name}-${twin}`;
}

/** A target: a Deployment whose pods run on KWOK's node. */
export function twinTarget(scenario: Scenario, twin: Twin): object {
  const app = twinName(scenario, twin);
  const labels = { app, scenario: scenario.name };
  const resources = { requests: { cpu: '100m', memory: '64Mi' } };
  const containers = ['app', 'sidecar'].map((name) => ({ name, image: 'none', resources }));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app, namespace: twinNamespace },
    spec: {
      replicas: scenario.replicas,
      selector: { matchLabels: { app } },
      template: { metadata: { labels }, spec: { nodeName: kwokNodeName, containers } },
    },
  };
}

/** An HPA, as it is applied or as a document of a repository: Plimsoll renders that into one of its own. */
export function twinAutoscaler(scenario: Scenario, twin: 'native' | 'rendered'): object {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: twinName(scenario, twin), namespace: twinNamespace },
    spec: { scaleTargetRef: targetOf(scenario, twin), ...scenario.spec },
  };
}

/** A policy that Plimsoll carries out by itself, as often as the native controller does. */
export function twinPolicy(scenario: Scenario): object {
  return {
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: twinName(scenario, 'scale'), namespace: twinNamespace },
    spec: { scaleTargetRef: targetOf(scenario, 'scale'), interval: '1s', ...scenario.spec },
  };
}

function targetOf(scenario: Scenario, twin: Twin): object {
  return { apiVersion: 'apps/v1', kind: 'Deployment', name: twinName(scenario, twin) };
}
