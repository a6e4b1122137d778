import { type AccessRule, accessRules, clusterUidRules, leaseRules, reviewRules } from '#adapter-kubernetes';
import type { Configuration } from '#configuration';
import type { PolicyParserPort } from '#git-sync';
import type { Actuation, EffectivePolicy, MetricSpec } from '#policy';
import { readTree } from '../repository/read-tree.ts';
import { type ResolvedTree, resolveTree } from '../repository/resolve-tree.ts';
import { type Environment, loadConfiguration, readSourceOptions } from '../repository/source-options.ts';
import { findRoot, readWorkTree } from '../repository/source-tree.ts';
import { withParser } from '../repository/with-parser.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { accessNeedsOf, type NamedNeeds, needsOfPolicy } from './needs-of-policies.ts';
import { rbacManifest, type RbacSubject, type ScopedRules } from './rbac-manifest.ts';
import { parseKindName, ResourceNames } from './resource-names.ts';

/** What the command line holds, beside the repositories. */
export interface RbacArguments extends RbacSubject {
  readonly config: string;
  readonly target?: readonly string[];
  readonly actuation?: readonly Actuation[];
  readonly metric?: readonly MetricSpec['type'][];
  readonly owner?: readonly string[];
  readonly blockedBy?: readonly string[];
  readonly plural?: readonly string[];
  readonly enforcesOwnerReferences?: boolean;
}

/** What is printed, and what is said beside it. */
export interface PrintedRbac {
  readonly text: string;
  readonly notes: readonly string[];
  /** Documents that are not counted, since they are invalid. */
  readonly errors: readonly string[];
}

/** Prints the Roles that a controller of the configuration needs; 1 where a policy is invalid, and so not counted. */
export async function printRbac(
  repositories: readonly string[],
  options: RbacArguments,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { text, notes, errors } = await rbacOf(repositories, options, terminal.environment);
  terminal.output.write(text);
  for (const note of notes) terminal.messages.write(`note: ${note}\n`);
  for (const error of errors) terminal.messages.write(`not counted: ${error}\n`);
  return errors.length === 0 ? 0 : 1;
}

/**
 * The Roles, or the ClusterRole, that a controller of the configuration needs for the policies of the repositories.
 *
 * @param repositories checkouts: a folder, or `SOURCE=FOLDER` where the configuration has several sources.
 * @throws UnusableError
 */
export async function rbacOf(
  repositories: readonly string[],
  options: RbacArguments,
  environment: Environment,
): Promise<PrintedRbac> {
  const configuration = loadConfiguration(options.config, environment);
  const { policies, errors, unread } = await withParser((parser) =>
    readPolicies(repositories, { ...options, configuration, environment, parser }),
  );
  const named = namedNeeds(options, repositories.length === 0);
  const names = new ResourceNames(options.plural ?? []);
  const rulesFor = (those: readonly EffectivePolicy[]): ScopedRules['rules'] =>
    accessRules(
      accessNeedsOf([named, ...those.map(needsOfPolicy)], names, {
        mode: configuration.mode,
        enforcesOwnerReferences: options.enforcesOwnerReferences ?? false,
      }),
    );
  const scopes: ScopedRules[] = configuration.namespaces.includes('*')
    ? [{ namespace: null, rules: rulesFor(policies) }]
    : [...new Set(configuration.namespaces)].toSorted().map((namespace) => ({
        namespace,
        rules: rulesFor(policies.filter((policy) => policy.namespace === namespace)),
      }));
  // Kubernetes takes a namespace's own name for the namespace of a request about it.
  addRules(scopes, configuration.namespaces.includes('*') ? null : 'kube-system', clusterUidRules);
  // Asking who a caller is, and what it may do, is about no namespace.
  if (configuration.auth.kubernetes.enabled) addRules(scopes, null, reviewRules);
  const { coordination } = configuration;
  if (coordination !== undefined) addRules(scopes, coordination.namespace, leaseRules);
  const { name, serviceAccount, serviceAccountNamespace } = options;
  const text = rbacManifest(scopes, { name, serviceAccount, serviceAccountNamespace });
  const guesses = names.guesses.map(
    (guess) => `the plural of a kind is taken to be regular: --plural ${guess}`,
  );
  return { text, notes: [...unread, ...guesses], errors };
}

/** Adds rules to those of the namespace, null for all of them. */
function addRules(scopes: ScopedRules[], namespace: string | null, added: readonly AccessRule[]): void {
  const place = scopes.findIndex((scope) => scope.namespace === namespace);
  const before = scopes[place]?.rules ?? [];
  const scope = { namespace, rules: [...before, ...added] };
  if (place === -1) scopes.push(scope);
  else scopes[place] = scope;
}

/** Of the command line; where no policy is read, what it does not name is what most policies need. */
function namedNeeds(options: RbacArguments, isAlone: boolean): NamedNeeds {
  const { target, actuation, metric, owner = [], blockedBy = [] } = options;
  const targets = target ?? (isAlone ? ['apps/v1/Deployment', 'apps/v1/StatefulSet'] : []);
  return {
    targets: targets.map(parseKindName),
    actuations: actuation ?? (isAlone ? ['Scale'] : []),
    selectsByOwner: isAlone || owner.length > 0,
    owners: owner.map(parseKindName),
    metricTypes: metric ?? (isAlone ? ['Resource'] : []),
    lifecycleObjects: blockedBy.map(parseKindName),
  };
}

interface Reading extends RbacArguments {
  readonly configuration: Configuration;
  readonly environment: Environment;
  readonly parser: PolicyParserPort;
}

interface ReadPolicies {
  readonly policies: readonly EffectivePolicy[];
  readonly errors: readonly string[];
  /** One note for each source whose policies are not read. */
  readonly unread: readonly string[];
}

async function readPolicies(repositories: readonly string[], reading: Reading): Promise<ReadPolicies> {
  const { configuration, config, environment, parser } = reading;
  const folders = foldersOf(repositories, configuration);
  const trees: ResolvedTree[] = [];
  for (const [source, folder] of folders) {
    const options = readSourceOptions({ config, source }, environment);
    const root = findRoot(folder, undefined);
    const tree = readWorkTree(root, options.repository.limits.fileBytes);
    const { reading: read } = await readTree(tree, { ...options, parser });
    trees.push(resolveTree(read, options));
  }
  return {
    policies: trees.flatMap(({ policies }) => [...policies.values()].map(({ policy }) => policy)),
    errors: trees.flatMap(({ errors }) =>
      errors.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ),
    unread: configuration.sources
      .filter(({ name }) => !folders.has(name))
      .map(({ name }) => `the policies of source ${name} are not read: name its checkout, or what they need`),
  };
}

/** By the source's name. @throws UnusableError */
function foldersOf(repositories: readonly string[], { sources }: Configuration): ReadonlyMap<string, string> {
  const names = sources.map(({ name }) => name);
  const [only, ...others] = names;
  const folders = repositories.map((text): readonly [string, string] => {
    const [, source, folder] = /^([^=/\\]+)=(.+)$/.exec(text) ?? [];
    if (source !== undefined && folder !== undefined && names.includes(source)) return [source, folder];
    if (source === undefined && only !== undefined && others.length === 0) return [only, text];
    throw new UnusableError(`${text}: write SOURCE=FOLDER, with one of the sources ${names.join(', ')}`);
  });
  const byName = new Map(folders);
  if (byName.size === folders.length) return byName;
  throw new UnusableError('a source has one checkout: the same source is named twice');
}
