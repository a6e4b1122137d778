import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { plainJson, readPolicyFile } from '#policy';
import { foldersUp, normalPath, resolvePath } from '../files/tree-file.ts';

/** An object of Flux or Argo CD that changes what it deploys: the manifests of its path are not what runs. */
export interface Deployer {
  /** The file that it stands in. */
  readonly file: string;
  readonly kind: string;
  readonly name: string;
  /** The folder that it deploys, from the repository's root; may hold `${…}`, which only a cluster fills in. */
  readonly path: string;
  /** What it does to them. */
  readonly transforms: readonly string[];
}

const fluxFields = [
  'patches',
  'patchesStrategicMerge',
  'patchesJson6902',
  'components',
  'namePrefix',
  'nameSuffix',
  'targetNamespace',
  'postBuild',
];
const argoFields = ['patches', 'components', 'namePrefix', 'nameSuffix', 'namespace'];
const decoder = new TextDecoder('latin1');
const fluxGroup = 'kustomize.toolkit.fluxcd.io';
const argoGroup = 'argoproj.io/';

/** Reads the Flux Kustomizations and Argo CD Applications of a file that transform what they deploy. */
export function readDeployers(file: string, bytes: Uint8Array): readonly Deployer[] {
  const { documents } = readPolicyFile({ file, bytes, wants: isDeployer });
  return documents.flatMap(({ identity, value }) =>
    identity.kind === 'other' ? readDeployer(file, value) : [],
  );
}

/** Finds what deploys a folder, or one around it; undefined: nothing does. */
export type DeployerLookup = (folder: string) => Deployer | undefined;

/**
 * Builds the lookup, of the nearest one; a repository has as many deployers as folders. A part of a path with a
 * placeholder stands for any: of what a cluster fills in nothing is known.
 */
export function deployerLookup(deployers: readonly Deployer[]): DeployerLookup {
  const byPath = new Map(deployers.map((deployer) => [deployer.path, deployer]));
  const open = deployers
    .filter(({ path }) => path.includes('${'))
    .map((deployer) => ({ deployer, wanted: deployer.path.split('/') }));
  const known = new Map<string, Deployer | undefined>();
  const find = (folder: string): Deployer | undefined => {
    const around = foldersUp(folder).find((up) => byPath.has(up));
    if (around !== undefined) return byPath.get(around);
    const parts = folder.split('/');
    return open.find(({ wanted }) => mayLead(wanted, parts))?.deployer;
  };
  return (folder) => {
    if (!known.has(folder)) known.set(folder, find(folder));
    return known.get(folder);
  };
}

function mayLead(wanted: readonly string[], parts: readonly string[]): boolean {
  return (
    wanted.length <= parts.length &&
    wanted.every((part, index) => part === parts[index] || part.includes('${'))
  );
}

/**
 * Whether a file may hold such an object. Each name is looked for by itself, so that the time grows with the text only.
 */
export function mayDeploy(bytes: Uint8Array): boolean {
  const text = decoder.decode(bytes);
  return text.includes(fluxGroup) || (text.includes(argoGroup) && /\bApplication\b/.test(text));
}

function isDeployer(apiVersion: unknown, kind: unknown): boolean {
  if (typeof apiVersion !== 'string') return false;
  return (
    (kind === 'Kustomization' && apiVersion.startsWith(`${fluxGroup}/`)) ||
    (kind === 'Application' && apiVersion.startsWith(argoGroup))
  );
}

function readDeployer(file: string, document: unknown): readonly Deployer[] {
  const value = plainJson(document);
  if (!isJsonObject(value) || !isJsonObject(value['spec'])) return [];
  const { spec, metadata } = value;
  const name = isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
  const kind = value['kind'] === 'Application' ? 'Application' : 'Kustomization';
  const sources =
    kind === 'Application'
      ? argoSources(spec)
      : [{ path: spec['path'] ?? fluxDefaultPath(spec), fields: spec, known: fluxFields }];
  return sources.flatMap(({ path, fields, known }) => {
    const transforms = known.filter((field) => !isEmpty(fields[field]));
    if (typeof path !== 'string' || transforms.length === 0) return [];
    return [{ file, kind, name, path: resolvePath('', path) ?? normalPath(path), transforms }];
  });
}

interface DeployedSource {
  /** Undefined: of another place than this tree. */
  readonly path: Json | undefined;
  readonly fields: JsonObject;
  readonly known: readonly string[];
}

function argoSources(spec: JsonObject): readonly DeployedSource[] {
  const several = Array.isArray(spec['sources']) ? (spec['sources'] as readonly Json[]) : [];
  return [spec['source'] ?? null, ...several].flatMap((source) => {
    if (!isJsonObject(source)) return [];
    const fields = isJsonObject(source['kustomize']) ? source['kustomize'] : {};
    return [{ path: source['path'], fields, known: argoFields }];
  });
}

/** Without a path Flux deploys the whole of its source: of a Git repository, presumably this one. */
function fluxDefaultPath({ sourceRef }: JsonObject): string | undefined {
  return isJsonObject(sourceRef) && sourceRef['kind'] === 'GitRepository' ? '' : undefined;
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
