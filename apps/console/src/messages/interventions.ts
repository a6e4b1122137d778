import type { InterventionKind, InterventionScopeKind, PolicyState } from '../schema.generated.ts';
import { countText } from './count-text.ts';

/** The texts of interventions: of their own page, and of what stands at a policy. */
export const interventions = {
  title: 'Interventions',
  table: 'Interventions in force',
  count: (shown: number, all: number) =>
    shown === all
      ? `${countText(all)} ${all === 1 ? 'intervention' : 'interventions'} in force`
      : `${countText(shown)} of ${countText(all)} in force`,
  search: 'Place, person or reason',
  columns: { select: 'Select', what: 'What', of: 'Where', until: 'Until', why: 'Why', end: 'End' },
  selectAll: 'Select all that are found',
  select: (place: string) => `Select the intervention on ${place}`,
  none: {
    title: 'No intervention in force',
    text: 'Every policy acts as its document says.',
  },
  nothingFound: { title: 'Nothing matches', text: 'No intervention in force has these words.' },
  showAll: 'Show all',
  /** As the fleet says it of a policy. */
  states: { Suspend: 'Suspended', Override: 'Overridden', DryRun: 'DryRun' } satisfies Record<
    InterventionKind,
    PolicyState
  >,
  kinds: { Suspend: 'Scaling is suspended', Override: 'Replicas are overridden', DryRun: 'Dry run' },
  directions: { Both: 'both directions', Up: 'up: nothing grows', Down: 'down: nothing shrinks' },
  atLeast: (count: number) => `at least ${count}`,
  atMost: (count: number) => `at most ${count}`,
  exactly: (count: number) => `exactly ${count}`,
  forced: 'forced',
  forcedAgainst: 'forced against',
  of: 'for',
  until: 'until',
  /** The fleet brake is the controller itself. */
  by: (actor: string) => (actor === 'fleet-brake' ? 'by the fleet brake' : `by ${actor}`),
  acted: {
    show: 'Which policies',
    title: (place: string) => `Policies that it acts on: ${place}`,
    looking: 'Looking which policies it acts on',
    count: (count: number) =>
      count === 0
        ? 'It acts on no policy that you may see.'
        : `It acts on ${count === 1 ? '1 policy' : `${countText(count)} policies`} now.`,
    atLeast: (count: number) => `It acts on these ${countText(count)} policies, and may on more.`,
  },
  end: 'End it now',
  endSeveral: (count: number) => `End ${countText(count)} interventions`,
  places: {
    namespace: (name: string) => `namespace ${name}`,
    source: (name: string) => `source ${name}`,
    metricSource: (name: string) => `what ${name} scales`,
    cluster: 'every policy',
  },
  begin: {
    title: 'Intervene',
    text: 'One intervention, with one end, for all the policies of a place, and for those that come there meanwhile. A single policy has the same on its own page.',
    of: 'Where',
    scopes: {
      Namespace: 'in a namespace',
      Source: 'in a source',
      MetricSource: 'what a source of metrics scales',
      Cluster: 'everywhere',
    } satisfies Record<Exclude<InterventionScopeKind, 'Policy'>, string>,
    names: { Namespace: 'Namespace', Source: 'Source', MetricSource: 'Source of metrics' },
    examples: { Namespace: 'shop', Source: 'policies', MetricSource: 'metrics.k8s.io' },
    suspend: 'Suspend scaling',
    dryRun: 'Start a dry run',
    direction: 'Direction',
    /** Where a role is wanted, of places of which the server alone knows the namespaces. */
    itsNamespaces: 'every namespace that it is for',
    itsNamespace: 'the namespace that it is for',
  },
} as const;
