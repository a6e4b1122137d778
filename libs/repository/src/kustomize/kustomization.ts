import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { plainJson, type Position, readYaml, showValue, suggest } from '#policy';
import { baseOf, type FileContent, folderOf, resolvePath } from '../files/tree-file.ts';

/** The names that kustomize looks for, in its order. */
export const kustomizationNames: readonly string[] = [
  'kustomization.yaml',
  'kustomization.yml',
  'Kustomization',
];

/** An entry of a kustomization that names a file or a folder. */
export interface KustomizationEntry {
  /** From the repository's root; of one that leaves it, as written. */
  readonly path: string;
  /** Where the entry is in the kustomization. */
  readonly position: Position;
}

/** A patch of a kustomization: a file, or text that stands in it. */
export interface KustomizePatch {
  /** From the repository's root; absent: inline, or a path that leaves the repository. */
  readonly file?: string;
  /** `target.kind`; absent: there is no target, or it names no kind. */
  readonly targetKind?: string;
  readonly hasTarget: boolean;
  /** The kinds of an inline patch, of all its documents; absent where one has none that can be read. */
  readonly inlineKinds?: readonly string[];
  /** Where it is in the kustomization. */
  readonly position: Position;
}

/** A kustomization as it is read: what it lists, and what it does to it. */
export interface Kustomization {
  /** The file. */
  readonly path: string;
  readonly folder: string;
  /** Files and folders that it lists. */
  readonly resources: readonly KustomizationEntry[];
  readonly patches: readonly KustomizePatch[];
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Fields whose work is not done here: components, prefixes, replacements, remote resources… */
  readonly transforms: readonly string[];
  /** Resources that leave the repository. */
  readonly outside: readonly KustomizationEntry[];
  /** Built only where another kustomization includes it. */
  readonly isComponent: boolean;
  /** Whether it could not be read whole: nothing that it lists, as far as that is known, is taken. */
  readonly isUnreadable: boolean;
  /** Why not, where its text says so. */
  readonly syntaxError?: { readonly message: string; readonly position: Position };
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
  if (content.kind !== 'Bytes') return unreadableKustomization(path);
  const { value, locate, fault } = readDocument(path, content.bytes);
  if (fault === undefined && isFluxObject(value)) return undefined;
  const folder = folderOf(path);
  const listed = ['resources', 'bases', 'components'].flatMap((field) => entriesIn(value, field, locate));
  const local = listed.filter((entry) => !isRemote(entry.path));
  const resources = local.map((entry) => ({ ...entry, path: resolvePath(folder, entry.path) }));
  const transforms = transformingFields.filter((field) => !isEmpty(value[field]));
  // Labels of chosen fields reach into a spec, and not only into metadata.
  if (listOf(value['labels']).some((item) => isJsonObject(item) && !isEmpty(item['fields'])))
    transforms.push('labels with fields');
  const namespace = value['namespace'];
  return {
    path,
    folder,
    resources: resources.filter((entry): entry is KustomizationEntry => entry.path !== undefined),
    patches: readPatches(folder, value, locate),
    ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
    // kustomize sets `commonLabels` after `labels`.
    labels: { ...labelPairs(value['labels']), ...textMap(value['commonLabels']) },
    annotations: textMap(value['commonAnnotations']),
    transforms: local.length < listed.length ? [...transforms, 'remote resources'] : transforms,
    outside: local.filter((entry) => resolvePath(folder, entry.path) === undefined),
    isComponent: value['kind'] === 'Component',
    isUnreadable: fault !== undefined,
    ...(fault === undefined || fault === 'NoMap' ? {} : { syntaxError: fault }),
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

type Locate = (path: readonly (string | number)[]) => Position;

/** What a file says, and where. */
interface LocatedValue {
  readonly value: JsonObject;
  readonly locate: Locate;
  /** Why it does not count; the value is then what could be made of it, whose resources and patches are not taken. */
  readonly fault?: NonNullable<Kustomization['syntaxError']> | 'NoMap';
}

function readDocument(file: string, bytes: Uint8Array): LocatedValue {
  const { diagnostics, documents } = readYaml({ file, bytes });
  const wrong = diagnostics.find(({ severity }) => severity === 'error');
  const syntax = wrong && { message: wrong.message, position: { line: wrong.line, column: wrong.column } };
  const [document] = documents;
  if (document === undefined)
    return { value: {}, locate: () => ({ line: 1, column: 1 }), ...(syntax && { fault: syntax }) };
  const { value: found, findings } = document.read(anyValue);
  const value = plainJson(found);
  const locate = document.locator();
  if (!isJsonObject(value)) return { value: {}, locate, fault: syntax ?? 'NoMap' };
  const unclear = findings.find(({ finding, path }) => isUnclear(finding.code, path));
  const meaning = unclear && {
    message: unclear.finding.message,
    position: document.positionOf(unclear.node),
  };
  const fault = syntax ?? meaning ?? fieldFault(value, locate);
  return { value, locate, ...(fault && { fault }) };
}

/** What kustomize refuses in the fields that decide what is taken, and where: nothing is known of what was meant. */
function fieldFault(value: JsonObject, locate: Locate): Kustomization['syntaxError'] {
  for (const [field, item = null] of Object.entries(value)) {
    const message = item === null ? misspelt(field) : (wrongShape(field, item) ?? misspelt(field));
    if (message !== undefined) return { message, position: locate([field]) };
  }
  return undefined;
}

function misspelt(field: string): string | undefined {
  const meant = knownFields.has(field) ? undefined : suggest(field, knownFields);
  return meant === undefined ? undefined : `${showValue(field)} is no field; did you mean ${meant}?`;
}

function wrongShape(field: string, item: Json): string | undefined {
  if (field === 'namespace')
    return typeof item === 'string' ? undefined : `namespace must be a string, is ${showValue(item)}`;
  if (!textLists.has(field) && !patchLists.has(field)) return undefined;
  if (!Array.isArray(item)) return `${field} must be a list, is ${showValue(item)}`;
  const isItem = (each: Json): boolean =>
    typeof each === 'string' || (patchLists.has(field) && isJsonObject(each));
  const wrong = (item as readonly Json[]).find((each) => !isItem(each));
  const wanted = textLists.has(field) ? 'a path' : 'a map';
  return wrong === undefined ? undefined : `an item of ${field} must be ${wanted}, is ${showValue(wrong)}`;
}

const textLists: ReadonlySet<string> = new Set(['resources', 'bases', 'components', 'patchesStrategicMerge']);
const patchLists: ReadonlySet<string> = new Set(['patches', 'patchesJson6902']);

/** All fields of a kustomization: another one that is nearly one of them was meant to be it. */
const knownFields: ReadonlySet<string> = new Set([
  ...textLists,
  ...patchLists,
  ...transformingFields,
  'apiVersion',
  'kind',
  'metadata',
  'namespace',
  'labels',
  'commonLabels',
  'commonAnnotations',
  'images',
  'imageTags',
  'replicas',
  'sortOptions',
  'crds',
  'configMapGenerator',
  'secretGenerator',
  'generatorOptions',
  'helmGlobals',
  'helmCharts',
  'helmChartInflationGenerator',
  'validators',
  'buildMetadata',
]);

/** Whether it is not known what kustomize makes of it, which refuses a key twice, and a namespace that is no text. */
function isUnclear(code: string, path: readonly (string | number)[]): boolean {
  return path[0] === 'namespace' || (path.length === 0 && code === 'DuplicateKey');
}

const anyValue = { skip: new Set<string>(), aliasExpansions: 10_000 };

/** The texts of a list, and where each is. */
function entriesIn(value: JsonObject, field: string, locate: Locate): readonly KustomizationEntry[] {
  return listOf(value[field]).flatMap((item, index) =>
    typeof item === 'string' ? [{ path: item, position: locate([field, index]) }] : [],
  );
}

/** All three spellings of patches. */
function readPatches(folder: string, value: JsonObject, locate: Locate): readonly KustomizePatch[] {
  return [
    ...['patches', 'patchesJson6902'].flatMap((field) =>
      listOf(value[field]).map((patch, index) => ({
        // Texts are how `patchesStrategicMerge` was once written.
        ...(typeof patch === 'string' ? strategicMerge(folder, patch) : readPatch(folder, patch)),
        position: locate([field, index, 'path']),
      })),
    ),
    ...entriesIn(value, 'patchesStrategicMerge', locate).map(({ path, position }) => ({
      ...strategicMerge(folder, path),
      position,
    })),
  ];
}

type PatchTarget = Omit<KustomizePatch, 'position'>;

function readPatch(folder: string, patch: Json): PatchTarget {
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
function strategicMerge(folder: string, text: string): PatchTarget {
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
 * The kinds of all documents of a patch; undefined where one of them is not known: such a patch may reach anything.
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
