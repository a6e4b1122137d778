import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { plainJson, readYaml } from '#policy';
import { baseOf, type FileContent, folderOf, resolvePath } from '../files/tree-file.ts';

/** The names that kustomize looks for, in its order. */
export const kustomizationNames: readonly string[] = [
  'kustomization.yaml',
  'kustomization.yml',
  'Kustomization',
];

/** A patch of a kustomization: a file, or text that stands in it. */
export interface KustomizePatch {
  /** From the repository's root; absent: inline, or a path that leaves the repository. */
  readonly file?: string;
  /** `target.kind`; absent: there is no target, or it names no kind. */
  readonly targetKind?: string;
  readonly hasTarget: boolean;
  /** The kinds of an inline patch, of all its documents; absent where one has none that can be read. */
  readonly inlineKinds?: readonly string[];
}

/** A kustomization as it is read: what it lists, and what it does to it. */
export interface Kustomization {
  /** The file. */
  readonly path: string;
  readonly folder: string;
  /** Files and folders that it lists, from the repository's root. */
  readonly resources: readonly string[];
  readonly patches: readonly KustomizePatch[];
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Fields whose work is not done here: components, prefixes, replacements, remote resources… */
  readonly transforms: readonly string[];
  /** Resources that leave the repository. */
  readonly outside: readonly string[];
  /** Built only where another kustomization includes it. */
  readonly isComponent: boolean;
  /** Not even its YAML could be read. */
  readonly isUnreadable: boolean;
  /** Another of its folder, which is not read. */
  readonly beside?: string;
}

/** Fields that change what they reach in ways that need rendering, whatever their value, unless it is empty. */
const transformingFields = [
  'components',
  'namePrefix',
  'nameSuffix',
  'replacements',
  'vars',
  'transformers',
  'generators',
  'configurations',
  'openapi',
];

/** Whether a file is a kustomization by its name. */
export function isKustomizationFile(path: string): boolean {
  return kustomizationNames.includes(baseOf(path));
}

/**
 * Reads a kustomization. What cannot be read is one that nothing is known of. Undefined: it is none, but an object of
 * Flux that bears the name.
 */
export function readKustomization(path: string, content: FileContent): Kustomization | undefined {
  const folder = folderOf(path);
  const value = content.kind === 'Bytes' ? firstDocument(path, content.bytes) : undefined;
  if (value === undefined) return unreadableKustomization(path);
  if (isFluxObject(value)) return undefined;
  const listed = ['resources', 'bases', 'components'].flatMap((field) => textsOf(value[field]));
  const resources = listed.filter((path) => !isRemote(path)).map((path) => resolvePath(folder, path));
  const transforms = transformingFields.filter((field) => !isEmpty(value[field]));
  // Labels of chosen fields reach into a spec, and not only into metadata.
  if (listOf(value['labels']).some((item) => isJsonObject(item) && !isEmpty(item['fields'])))
    transforms.push('labels with fields');
  const namespace = value['namespace'];
  return {
    path,
    folder,
    resources: resources.filter((path) => path !== undefined),
    patches: readPatches(folder, value),
    ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
    labels: { ...textMap(value['commonLabels']), ...labelPairs(value['labels']) },
    annotations: textMap(value['commonAnnotations']),
    transforms: listed.some(isRemote) ? [...transforms, 'remote resources'] : transforms,
    outside: listed.filter((path) => !isRemote(path) && resolvePath(folder, path) === undefined),
    isComponent: value['kind'] === 'Component',
    isUnreadable: false,
  };
}

/** A kustomization of which nothing is known. */
export function unreadableKustomization(path: string): Kustomization {
  return { ...empty, path, folder: folderOf(path), isUnreadable: true };
}

/** Flux's Kustomization has the kind, but not the group: it names a folder, and is no part of one. */
function isFluxObject({ apiVersion }: JsonObject): boolean {
  return typeof apiVersion === 'string' && apiVersion.startsWith('kustomize.toolkit.fluxcd.io/');
}

const empty = {
  isComponent: false,
  resources: [],
  patches: [],
  labels: {},
  annotations: {},
  transforms: [],
  outside: [],
};

function firstDocument(file: string, bytes: Uint8Array): JsonObject | undefined {
  const read = readYaml({ file, bytes });
  if (read.diagnostics.some(({ severity }) => severity === 'error')) return undefined;
  const [document] = read.documents;
  if (document === undefined) return {};
  const value = plainJson(document.read(anyValue).value);
  return isJsonObject(value) ? value : undefined;
}

const anyValue = { skip: new Set<string>(), aliasExpansions: 10_000 };

/** All three spellings of patches. */
function readPatches(folder: string, value: JsonObject): readonly KustomizePatch[] {
  return [
    ...listOf(value['patches']).map((patch) => readPatch(folder, patch)),
    ...listOf(value['patchesJson6902']).map((patch) => readPatch(folder, patch)),
    ...textsOf(value['patchesStrategicMerge']).map((text) => strategicMerge(folder, text)),
  ];
}

function readPatch(folder: string, patch: Json): KustomizePatch {
  if (!isJsonObject(patch)) return { hasTarget: false };
  const target = isJsonObject(patch['target']) ? patch['target'] : undefined;
  const kind = target?.['kind'];
  const path = typeof patch['path'] === 'string' ? resolvePath(folder, patch['path']) : undefined;
  const inline = typeof patch['patch'] === 'string' ? kindsOf(patch['patch']) : undefined;
  return {
    hasTarget: target !== undefined,
    ...(typeof kind === 'string' && kind !== '' ? { targetKind: kind } : {}),
    ...(path === undefined ? {} : { file: path }),
    ...(inline === undefined ? {} : { inlineKinds: inline }),
  };
}

/** A path, or the patch itself. */
function strategicMerge(folder: string, text: string): KustomizePatch {
  if (!text.includes('\n')) {
    const file = resolvePath(folder, text);
    return file === undefined ? { hasTarget: false } : { hasTarget: false, file };
  }
  const inline = kindsOf(text);
  return inline === undefined ? { hasTarget: false } : { hasTarget: false, inlineKinds: inline };
}

const encoder = new TextEncoder();

function kindsOf(text: string): readonly string[] | undefined {
  return kindsOfPatch({ file: 'patch', bytes: encoder.encode(text) });
}

/**
 * The kinds of all documents of a patch; undefined where one of them cannot be told: such a patch may reach anything.
 * Empty documents, as before a first `---`, say nothing.
 */
export function kindsOfPatch(source: { file: string; bytes: Uint8Array }): readonly string[] | undefined {
  const read = readYaml(source);
  if (read.diagnostics.some(({ severity }) => severity === 'error')) return undefined;
  const values = read.documents.map((document) => plainJson(document.read(anyValue).value));
  const kinds = values
    .filter((value) => value !== null)
    .map((value) => (isJsonObject(value) ? value['kind'] : null));
  return kinds.length > 0 && kinds.every((kind) => typeof kind === 'string') ? kinds : undefined;
}

/** A URL, or one of kustomize's abbreviations for a repository elsewhere. */
function isRemote(path: string): boolean {
  return (
    /^[a-z+]+:\/\//.test(path) ||
    /^git@|^git::/.test(path) ||
    /^(www\.)?(github|gitlab|bitbucket)\.[a-z]+[/:]/.test(path) ||
    /[?&](ref|version)=/.test(path)
  );
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function textsOf(value: Json | undefined): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

function textMap(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (typeof item === 'string' ? [[key, item]] : [])),
  );
}

/** `labels: [{pairs: {…}}]`. */
function labelPairs(value: Json | undefined): Readonly<Record<string, string>> {
  const pairs = listOf(value).map((item) => (isJsonObject(item) ? textMap(item['pairs']) : {}));
  return Object.assign({}, ...pairs) as Record<string, string>;
}
