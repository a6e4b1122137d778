import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { type ObservationForm, readForm } from './form-observation.ts';
import { type LoadCurve, loadCurveKinds, maximumCsvCharacters, maximumPercent } from './load-curve.ts';
import { maximumMinutes } from './run-curve.ts';

/** Everything that the playground is asked. */
export interface Scenario {
  /** YAML. */
  readonly policy: string;
  /** Which of the two that follow counts. */
  readonly observedBy: 'Figures' | 'Json';
  /** Null: as the policy suggests. */
  readonly figures: ObservationForm | null;
  /** JSON. */
  readonly observation: string;
  /** The controller's, of the decision that was loaded; null: the shipped ones. */
  readonly settings: JsonObject | null;
  /** Of the decision that was loaded; null: nothing was decided before. */
  readonly memory: JsonObject | null;
  readonly curve: LoadCurve;
  readonly minutes: number;
  readonly podStartSeconds: number;
}

/** Characters of a policy; the greatest that is known has a twentieth. */
export const maximumPolicyCharacters = 65_536;
/** Characters of an observation: some 2,000 pods. */
export const maximumObservationCharacters = 1_048_576;
/** A pod that takes longer than an hour never comes. */
export const maximumPodStartSeconds = 3_600;

const policy = `# Change anything: it is read and decided as you type.
apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata:
  name: checkout
  namespace: shop
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: checkout }
  minReplicas: 3
  maxReplicas: 20
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: 60 }
  behavior:
    scaleUp:
      policies: [{ type: Percent, value: 100, periodSeconds: 60 }]
    scaleDown:
      stabilizationWindowSeconds: 300
`;

const curve: LoadCurve = {
  kind: 'Spike',
  lowPercent: 100,
  highPercent: 400,
  atMinutes: 15,
  forMinutes: 30,
  csv: 'seconds,percent\n0,100\n900,400\n2700,100\n',
};

/** What is there before anything is asked: a spike that a checkout must survive. */
export const exampleScenario: Scenario = {
  policy,
  observedBy: 'Figures',
  figures: null,
  observation: '',
  settings: null,
  memory: null,
  curve,
  minutes: 120,
  podStartSeconds: 20,
};

/** A scenario from a link: what cannot be read is as in the example. */
export function readScenario(value: Json): Scenario {
  if (!isJsonObject(value)) return exampleScenario;
  const { settings, memory } = value;
  return {
    policy: textOf(value['policy'], maximumPolicyCharacters) ?? exampleScenario.policy,
    observedBy: value['observedBy'] === 'Json' ? 'Json' : 'Figures',
    figures: readForm(value['figures']),
    observation: textOf(value['observation'], maximumObservationCharacters) ?? exampleScenario.observation,
    settings: isJsonObject(settings) ? settings : null,
    memory: isJsonObject(memory) ? memory : null,
    curve: readCurve(value['curve']),
    minutes: numberOf(value['minutes'], maximumMinutes) ?? exampleScenario.minutes,
    podStartSeconds:
      numberOf(value['podStartSeconds'], maximumPodStartSeconds) ?? exampleScenario.podStartSeconds,
  };
}

function readCurve(value: Json | undefined): LoadCurve {
  if (!isJsonObject(value)) return curve;
  return {
    kind: loadCurveKinds.find((kind) => kind === value['kind']) ?? curve.kind,
    lowPercent: numberOf(value['lowPercent'], maximumPercent) ?? curve.lowPercent,
    highPercent: numberOf(value['highPercent'], maximumPercent) ?? curve.highPercent,
    atMinutes: numberOf(value['atMinutes'], maximumMinutes) ?? curve.atMinutes,
    forMinutes: numberOf(value['forMinutes'], maximumMinutes) ?? curve.forMinutes,
    csv: textOf(value['csv'], maximumCsvCharacters) ?? curve.csv,
  };
}

function textOf(value: Json | undefined, maximum: number): string | undefined {
  return typeof value === 'string' && value.length <= maximum ? value : undefined;
}

function numberOf(value: Json | undefined, maximum: number): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= maximum ? value : undefined;
}
