import { nameSome, namespacedName } from '#kernel';
import { type PolicyKey, policyOfStream } from '#ledger';
import type { ReportFilter } from './report-statement.ts';
import { isVisible, selectsPolicy } from './selects-policy.ts';

/** As many names say what there is instead. */
const maximumNames = 10;

/** Whether there is anything that a report's filter selects, and what there is instead. */
export class FilterMatch {
  readonly #filter: ReportFilter;
  /** All that the reader may view, whatever else the filter says. */
  readonly #visible: readonly PolicyKey[];
  readonly #hasPolicy: boolean;
  /** Of the policies that the names select. */
  readonly #teams = new Set<string>();

  /** @param streams the names of all streams of the ledger */
  constructor(filter: ReportFilter, streams: readonly string[]) {
    this.#filter = filter;
    this.#visible = streams
      .map(policyOfStream)
      .filter((policy) => policy !== null)
      .filter(({ namespace }) => isVisible(filter, namespace));
    this.#hasPolicy = this.#visible.some((policy) => selectsPolicy(filter, policy));
  }

  /** The team of a policy that the names select. */
  addTeam(team: string | null): void {
    if (team !== null) this.#teams.add(team);
  }

  /** That there is nothing of what was asked for, and what there is instead; `null`: there is something, or all was asked for. */
  nothingMatches(): string | null {
    const { namespaces, policies, teams, teamLabel } = this.#filter;
    if (this.#hasPolicy) {
      if (teams === null || teams.some((team) => this.#teams.has(team))) return null;
      const where = namespaces === null && policies === null ? '' : ' of those that are named';
      return `no policy${where} has ${orOf(teams)} for its label ${teamLabel}: ${existing('team', this.#teams)}`;
    }
    if (policies !== null)
      return `there is no policy ${orOf(policies)}${placeOf(namespaces)}: ${existing('policy', this.#near(policies))}`;
    if (namespaces === null) return teams === null ? null : 'there is no policy that could have a team';
    const those = this.#visible.map(({ namespace }) => namespace);
    return `there is no policy${placeOf(namespaces)}: ${existing('namespace', those)}`;
  }

  /** Those in the namespaces of what was asked for, where there are any. */
  #near(policies: readonly string[]): readonly string[] {
    const asked = new Set(policies.map((policy) => policy.slice(0, policy.indexOf('/'))));
    const near = this.#visible.filter(({ namespace }) => asked.has(namespace));
    return (near.length === 0 ? this.#visible : near).map(namespacedName);
  }
}

function placeOf(namespaces: readonly string[] | null): string {
  return namespaces === null ? '' : ` in namespace ${orOf(namespaces)}`;
}

function orOf(names: readonly string[]): string {
  return nameSome(names, maximumNames, ' or ');
}

function existing(what: string, names: Iterable<string>): string {
  const sorted = [...new Set(names)].sort();
  return sorted.length === 0
    ? `there is no ${what} that may be seen`
    : `there is ${nameSome(sorted, maximumNames)}`;
}
