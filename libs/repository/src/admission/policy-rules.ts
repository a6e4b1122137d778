import { isJsonObject } from '#kernel';
import {
  type DefaultsLayer,
  type PolicyDefaults,
  type PolicyGuardrail,
  type PolicySelector,
  type Problem,
  readPolicyDefaults,
  readPolicyGuardrail,
  type SelectedPolicy,
  selectorKeys,
  selectsPolicy,
  StepBudget,
} from '#policy';
import type { RepositoryDocument } from '../documents/repository-reading.ts';
import { folderOf, foldersUp, isBelow } from '../files/tree-file.ts';

/** Steps that guardrails may take for all policies of one tenant together: about 10 s, in slices. */
const maximumSteps = 50_000_000;

interface Placed<T> {
  readonly source: RepositoryDocument;
  readonly folder: string;
  readonly value: T;
}

/** A guardrail, and the document that it is read from. */
export type PlacedGuardrail = Pick<Placed<PolicyGuardrail>, 'source' | 'value'>;

/** The defaults and guardrails that act on one tenant's policies: its own and the root's. */
export class PolicyRules {
  readonly #defaults: Placed<PolicyDefaults>[] = [];
  readonly #guardrails: Placed<PolicyGuardrail>[] = [];
  readonly #wrongDefaults: RepositoryDocument[] = [];
  /** What is wrong with the documents themselves. */
  readonly problems: { readonly source: RepositoryDocument; readonly problem: Problem }[] = [];

  /** What judging the policies may take. */
  readonly steps = new StepBudget(maximumSteps, 'all rules for all policies of the tenant take');

  /** The defaults and guardrails, in order. */
  readonly documents: readonly RepositoryDocument[];

  constructor(documents: readonly RepositoryDocument[]) {
    this.documents = documents.filter(({ role }) => role === 'Defaults' || role === 'Guardrail');
    for (const source of this.documents) {
      if (source.role === 'Defaults') this.#add(this.#defaults, source, readPolicyDefaults(source.value));
      if (source.role === 'Guardrail') this.#add(this.#guardrails, source, readPolicyGuardrail(source.value));
    }
  }

  /** Ranks of defaults for a policy: directories, nearest first, then selectors, most keys first. */
  defaultsFor(
    policy: RepositoryDocument,
    selected: SelectedPolicy,
  ): readonly (readonly DefaultsLayer<RepositoryDocument>[])[] {
    const layer = ({ source, value }: Placed<PolicyDefaults>) => ({ source, values: value.values });
    const applicable = this.#defaults.filter((each) => applies(each, policy, selected));
    const byFolder = foldersUp(folderOf(policy.file)).map((folder) =>
      applicable.filter((each) => each.value.selector === undefined && each.folder === folder).map(layer),
    );
    const selectors = applicable.filter(({ value }) => value.selector !== undefined);
    const byKeys = Map.groupBy(selectors, ({ value }) => selectorKeys(value.selector ?? {}));
    const keys = [...byKeys.keys()].sort((a, b) => b - a);
    return [...byFolder, ...keys.map((count) => (byKeys.get(count) ?? []).map(layer))].filter(
      (rank) => rank.length > 0,
    );
  }

  /** Whether defaults are wrong by themselves, and a policy may have had the values that it lacks from them. */
  mayLackDefaults({ kind, file }: RepositoryDocument): boolean {
    return (
      kind === 'AutoscalingPolicy' &&
      this.#wrongDefaults.some((each) => hasSelector(each) || isBelow(file, folderOf(each.file)))
    );
  }

  /** The guardrails that judge a policy. */
  guardrailsFor(policy: RepositoryDocument, selected: SelectedPolicy): readonly PlacedGuardrail[] {
    return this.#guardrails.filter((each) => applies(each, policy, selected));
  }

  #add<T>(
    list: Placed<T>[],
    source: RepositoryDocument,
    reading: { readonly value?: T; readonly problems: readonly Problem[] },
  ): void {
    this.problems.push(...reading.problems.map((problem) => ({ source, problem })));
    if (reading.value !== undefined)
      list.push({ source, folder: folderOf(source.file), value: reading.value });
    else if (source.role === 'Defaults') this.#wrongDefaults.push(source);
  }
}

function hasSelector({ value }: RepositoryDocument): boolean {
  return isJsonObject(value['spec']) && value['spec']['selector'] !== undefined;
}

/** A selector decides where there is one, within the tenant; else the directory tree. */
function applies(
  { folder, value }: Placed<{ readonly selector?: PolicySelector }>,
  policy: RepositoryDocument,
  selected: SelectedPolicy,
): boolean {
  return value.selector === undefined
    ? isBelow(policy.file, folder)
    : selectsPolicy(value.selector, selected);
}
