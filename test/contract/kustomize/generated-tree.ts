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
  files.set(
    'component/kustomization.yaml',
    `kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n${random.pick(componentParts)}\n`,
  );
  const listed = new Set<string>();
  const bottoms = new Map<string, string>();
  for (const overlay of ['dev', 'prod', 'eu'].slice(0, random.below(4))) {
    const base = random.pick(folders);
    listed.add(base);
    const bottom = bottoms.get(base) ?? base;
    addKustomization(random, files, {
      folder: overlay,
      resources: [random.pick([`../${base}`, `../${base}/`, `./../${base}`])],
      bottom,
    });
    bottoms.set(overlay, bottom);
    folders.push(overlay);
  }
  return { files, tops: folders.filter((folder) => !listed.has(folder)) };
}

function addBase(random: Random, files: Map<string, string>, folder: string): void {
  const resources: string[] = [];
  for (const app of apps) {
    const name = `${app}-${folder}`;
    if (random.chance(0.2)) {
      files.set(`${folder}/${app}.yaml`, `${deployment(name)}---\n${autoscaler(random, name)}`);
      resources.push(random.pick([`${app}.yaml`, `./${app}.yaml`]));
      continue;
    }
    files.set(`${folder}/${app}.yaml`, deployment(name));
    files.set(
      `${folder}/${app}-hpa.yaml`,
      random.chance(0.1) ? listOf(autoscaler(random, name)) : autoscaler(random, name),
    );
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
  const parts = [
    `${folder.startsWith('base') || random.chance(0.8) ? 'resources' : 'bases'}: [${resources.join(', ')}]`,
  ];
  if (random.chance(0.5)) parts.push(`namespace: ${random.pick([...namespaces, '""'])}`);
  if (random.chance(0.2)) parts.push('apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization');
  if (random.chance(0.6)) {
    const { text, file } = random.pick(fields)(`${random.pick(apps)}-${bottom}`);
    parts.push(text);
    if (file !== undefined) files.set(`${folder}/extra.yaml`, file);
  }
  if (random.chance(0.4)) {
    const { text, file } = random.pick(patches)(`${random.pick(apps)}-${bottom}`);
    parts.push(text);
    if (file !== undefined) files.set(`${folder}/patch.yaml`, file);
  }
  files.set(`${folder}/${random.pick(names)}`, `${parts.join('\n')}\n`);
}

const fields: readonly Part[] = [
  () => ({ text: 'namePrefix: x-' }),
  () => ({ text: 'namePrefix: ""' }),
  () => ({ text: 'nameSuffix: -x' }),
  () => ({ text: 'commonLabels: {team: a}' }),
  () => ({ text: 'commonAnnotations: {note: a}' }),
  () => ({ text: 'labels: [{pairs: {team: b}}]' }),
  () => ({ text: 'labels: [{pairs: {team: b}, includeSelectors: true}]' }),
  () => ({ text: 'labels: [{pairs: {team: c}, fields: [{path: spec/labels, create: true}]}]' }),
  () => ({
    text: 'labels: [{pairs: {team: c}, fields: [{path: spec/labels, create: true, kind: HorizontalPodAutoscaler}]}]',
  }),
  () => ({
    text: 'labels: [{pairs: {team: c}, fields: [{path: spec/labels, create: true, kind: Deployment}]}]',
  }),
  () => ({ text: 'images: [{name: nginx, newTag: "1"}]' }),
  () => ({ text: 'configMapGenerator: [{name: settings, literals: [a=b]}]' }),
  () => ({ text: 'components: [../component]' }),
  () => ({ text: 'components: []' }),
  (name) => ({ text: `replicas: [{name: ${name}, count: 4}]` }),
  (name) => ({
    text: `replacements: [{source: {kind: Deployment, name: ${name}, fieldPath: spec.template.spec.containers.0.name}, targets: [{select: {kind: HorizontalPodAutoscaler}, fieldPaths: [spec.note], options: {create: true}}]}]`,
  }),
  (name) => ({
    text: `replacements: [{source: {kind: Deployment, name: ${name}, fieldPath: spec.template.spec.containers.0.name}, targets: [{select: {kind: Deployment}, fieldPaths: [spec.note], options: {create: true}}]}]`,
  }),
  () => ({
    text: 'transformers: [extra.yaml]',
    file: 'apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: p}\nprefix: y-\nfieldSpecs: [{path: metadata/name}]\n',
  }),
  () => ({
    text: 'transformers:\n- |\n  apiVersion: builtin\n  kind: NamespaceTransformer\n  metadata: {name: n, namespace: elsewhere}\n  fieldSpecs: [{path: metadata/namespace, create: true}]',
  }),
  () => ({
    text: 'configurations: [extra.yaml]\nnamePrefix: z-',
    file: 'namePrefix: [{path: metadata/name, kind: Deployment}]\n',
  }),
  () => ({
    text: 'configurations: [extra.yaml]',
    file: 'commonLabels: [{path: spec/labels, create: true, kind: HorizontalPodAutoscaler}]\n',
  }),
  () => ({
    text: 'configurations: [extra.yaml]\ncommonLabels: {team: d}',
    file: 'commonLabels: [{path: spec/labels, create: true, kind: HorizontalPodAutoscaler}]\n',
  }),
  () => ({ text: 'buildMetadata: [managedByLabel, originAnnotations]' }),
  () => ({ text: 'sortOptions: {order: legacy}\ngeneratorOptions: {disableNameSuffixHash: true}' }),
  (name) => ({
    text: `patchesJson6902: [{target: {group: autoscaling, version: v2, kind: HorizontalPodAutoscaler, name: ${name}}, path: extra.yaml}]`,
    file: '[{"op": "add", "path": "/spec/maxReplicas", "value": 6}]\n',
  }),
  (name) => ({
    text: `patchesJson6902: [{target: {group: apps, version: v1, kind: Deployment, name: ${name}}, path: extra.yaml}]`,
    file: '[{"op": "add", "path": "/spec/replicas", "value": 6}]\n',
  }),
  () => ({ text: 'crds: []\nvars: []' }),
  (name) => ({
    text: `vars: [{name: V, objref: {apiVersion: apps/v1, kind: Deployment, name: ${name}}, fieldref: {fieldpath: metadata.name}}]`,
  }),
];

const componentParts = [
  'namePrefix: c-',
  'namespace: prod',
  'commonLabels: {team: c}',
  'images: [{name: nginx, newTag: "2"}]',
  'patches:\n- target: {kind: HorizontalPodAutoscaler}\n  patch: \'[{"op": "add", "path": "/spec/maxReplicas", "value": 8}]\'',
  'patches:\n- target: {kind: Deployment}\n  patch: \'[{"op": "add", "path": "/spec/replicas", "value": 8}]\'',
  'resources: []',
] as const;

function listOf(document: string): string {
  return `apiVersion: v1\nkind: List\nitems:\n- ${document.trimEnd().replaceAll('\n', '\n  ')}\n`;
}

type Part = (name: string) => { readonly text: string; readonly file?: string };

const jsonPatch = (path: string): string => `'[{"op": "add", "path": "${path}", "value": 5}]'`;
const inline = (text: string): string => `patches:\n- patch: |\n${text.replaceAll(/^(?=.)/gm, '    ')}`;

const patches: readonly Part[] = [
  (name) => ({ text: 'patches: [{path: patch.yaml}]', file: scaled(name) }),
  (name) => ({ text: 'patches: [{path: patch.yaml}]', file: bounded(name) }),
  (name) => ({ text: 'patchesStrategicMerge: [patch.yaml]', file: `${scaled(name)}---\n${bounded(name)}` }),
  (name) => ({ text: inline(`${scaled(name)}---\n${bounded(name)}`) }),
  (name) => ({ text: inline(`# why\n---\n${scaled(name)}`) }),
  () => ({ text: `patches: [{target: {kind: Deployment}, patch: ${jsonPatch('/spec/replicas')}}]` }),
  () => ({ text: `patches: [{target: {kind: Hor.*}, patch: ${jsonPatch('/spec/maxReplicas')}}]` }),
  () => ({ text: `patches: [{target: {kind: Horizontal}, patch: ${jsonPatch('/spec/maxReplicas')}}]` }),
  () => ({
    text: `patches: [{target: {kind: "Deployment|HorizontalPodAutoscaler"}, patch: ${jsonPatch('/spec/maxReplicas')}}]`,
  }),
  () => ({ text: `patches: [{target: {group: autoscaling}, patch: ${jsonPatch('/spec/maxReplicas')}}]` }),
  () => ({ text: `patches: [{target: {group: apps}, patch: ${jsonPatch('/spec/replicas')}}]` }),
  () => ({ text: `patches: [{target: {labelSelector: team=a}, patch: ${jsonPatch('/spec/maxReplicas')}}]` }),
  () => ({
    text: `patches: [{target: {annotationSelector: "${originAnnotation}"}, patch: ${jsonPatch('/spec/maxReplicas')}}]`,
  }),
  () => ({ text: `patches: [{target: {kind: "", name: ".*"}, patch: ${jsonPatch('/spec/maxReplicas')}}]` }),
  () => ({ text: `patches: [{target: {}, patch: ${jsonPatch('/spec/maxReplicas')}}]` }),
  (name) => ({ text: inline(bounded(name).replace('spec: {maxReplicas: 77}', '$patch: delete')) }),
  (name) => ({
    text: `patches: [{path: patch.yaml, target: {kind: HorizontalPodAutoscaler}, options: {allowNameChange: true}}]`,
    file: bounded(name),
  }),
  (name) => ({ text: `patches: [{path: patch.yaml, target: {kind: Deployment}}]`, file: scaled(name) }),
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
