import { Random } from '../../support/random.ts';

/** A small repository of overlays, and the kustomizations that no other one lists. */
export interface GeneratedTree {
  /** Text by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Folders to build. */
  readonly tops: readonly string[];
}

/** The annotation that follows a document into what is rendered. */
export const originAnnotation = 'example.com/origin';

const apps = ['api', 'web'] as const;
const namespaces = ['dev', 'prod'] as const;
const names = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'] as const;

/** Makes a tree: one or two bases, overlays on them and on each other, patches and whatever else people write. */
export function generateTree(seed: number): GeneratedTree {
  const random = new Random(seed);
  const files = new Map<string, string>();
  const folders = ['base', 'base2'].slice(0, 1 + random.below(2));
  for (const folder of folders) addBase(random, files, folder);
  const listed = new Set<string>();
  const bottoms = new Map<string, string>();
  for (const overlay of ['dev', 'prod', 'eu'].slice(0, random.below(4))) {
    const base = random.pick(folders);
    listed.add(base);
    const bottom = bottoms.get(base) ?? base;
    addKustomization(random, files, { folder: overlay, resources: [`../${base}`], bottom });
    bottoms.set(overlay, bottom);
    folders.push(overlay);
  }
  return { files, tops: folders.filter((folder) => !listed.has(folder)) };
}

function addBase(random: Random, files: Map<string, string>, folder: string): void {
  const resources: string[] = [];
  for (const app of apps) {
    const name = `${app}-${folder}`;
    files.set(`${folder}/${app}.yaml`, deployment(name));
    files.set(`${folder}/${app}-hpa.yaml`, autoscaler(random, name));
    resources.push(`${app}.yaml`, ...(random.chance(0.9) ? [`${app}-hpa.yaml`] : []));
  }
  addKustomization(random, files, { folder, resources, bottom: folder });
}

interface WrittenKustomization {
  readonly folder: string;
  readonly resources: readonly string[];
  /** The base that its resources come from. */
  readonly bottom: string;
}

function addKustomization(
  random: Random,
  files: Map<string, string>,
  { folder, resources, bottom }: WrittenKustomization,
): void {
  const parts = [`resources: [${resources.join(', ')}]`];
  if (random.chance(0.5)) parts.push(`namespace: ${random.pick(namespaces)}`);
  if (random.chance(0.6)) parts.push(random.pick(fields));
  if (random.chance(0.4)) {
    const { text, file } = random.pick(patches)(`${random.pick(apps)}-${bottom}`);
    parts.push(text);
    if (file !== undefined) files.set(`${folder}/patch.yaml`, file);
  }
  files.set(`${folder}/${random.pick(names)}`, `${parts.join('\n')}\n`);
}

const fields = [
  'namePrefix: x-',
  'nameSuffix: -x',
  'commonLabels: {team: a}',
  'commonAnnotations: {note: a}',
  'labels: [{pairs: {team: b}}]',
  'labels: [{pairs: {team: c}, fields: [{path: spec/labels, create: true}]}]',
  'images: [{name: nginx, newTag: "1"}]',
  'configMapGenerator: [{name: settings, literals: [a=b]}]',
] as const;

type Patch = (name: string) => { readonly text: string; readonly file?: string };

const jsonPatch = (path: string): string => `'[{"op": "add", "path": "${path}", "value": 5}]'`;
const inline = (text: string): string => `patches:\n- patch: |\n${text.replaceAll(/^(?=.)/gm, '    ')}`;

const patches: readonly Patch[] = [
  (name) => ({ text: 'patches: [{path: patch.yaml}]', file: scaled(name) }),
  (name) => ({ text: 'patches: [{path: patch.yaml}]', file: bounded(name) }),
  (name) => ({ text: 'patchesStrategicMerge: [patch.yaml]', file: `${scaled(name)}---\n${bounded(name)}` }),
  (name) => ({ text: inline(`${scaled(name)}---\n${bounded(name)}`) }),
  (name) => ({ text: inline(`# why\n---\n${scaled(name)}`) }),
  () => ({ text: `patches: [{target: {kind: Deployment}, patch: ${jsonPatch('/spec/replicas')}}]` }),
  () => ({ text: `patches: [{target: {kind: Hor.*}, patch: ${jsonPatch('/spec/maxReplicas')}}]` }),
  (name) => ({ text: `patches: [{target: {name: ${name}}, patch: ${jsonPatch('/spec/minReplicas')}}]` }),
];

function deployment(name: string): string {
  const template = '{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: nginx}]}}';
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {selector: {matchLabels: {a: b}}, template: ${template}}\n`;
}

function scaled(name: string): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {replicas: 3}\n`;
}

function bounded(name: string): string {
  return `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: ${name}}\nspec: {maxReplicas: 77}\n`;
}

function autoscaler(random: Random, name: string): string {
  const own = random.chance(0.3) ? `, namespace: ${random.pick(namespaces)}` : '';
  const target = `{apiVersion: apps/v1, kind: Deployment, name: ${name}}`;
  return `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: ${name}${own}, annotations: {${originAnnotation}: ${name}}}\nspec: {scaleTargetRef: ${target}, minReplicas: 1, maxReplicas: 9}\n`;
}
