/** How a field's value is treated: by its items' keys, as a set of scalars, or as a whole. */
export type ListKind = readonly string[] | 'Set' | 'Atomic';

/** Lists whose items have keys, by the field's name: the built-in kinds use a name for one thing only. */
const keyed: Readonly<Record<string, readonly string[]>> = {
  conditions: ['type'],
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  env: ['name'],
  imagePullSecrets: ['name'],
  ownerReferences: ['uid'],
  ports: ['containerPort', 'protocol'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  volumeDevices: ['devicePath'],
  volumeMounts: ['mountPath'],
  volumes: ['name'],
};

/** Key fields that are understood when left out. */
const keyDefaults: Readonly<Record<string, string>> = { protocol: 'TCP' };

/** Maps that are owned as a whole. */
const atomicMaps: ReadonlySet<string> = new Set([
  'selector',
  'labelSelector',
  'nodeSelector',
  'involvedObject',
  'fieldRef',
  'resourceFieldRef',
  'configMapKeyRef',
  'secretKeyRef',
]);

/** Whether a schema of ours applies: custom resources have none, except for their metadata. */
export interface FieldContext {
  /** The name of the field whose value is looked at. */
  readonly field: string;
  readonly hasSchema: boolean;
}

/** The context at the root of an object. */
export function rootContext(hasSchema: boolean): FieldContext {
  return { field: '', hasSchema };
}

/** The context of a field below. */
export function childContext({ field, hasSchema }: FieldContext, name: string): FieldContext {
  return { field: name, hasSchema: hasSchema || (field === '' && name === 'metadata') };
}

/** How the list in a context is merged and owned. */
export function listKind({ field, hasSchema }: FieldContext): ListKind {
  if (!hasSchema) return 'Atomic';
  if (field === 'finalizers') return 'Set';
  return keyed[field] ?? 'Atomic';
}

/** Whether the map in a context is owned field by field. */
export function isGranular({ field, hasSchema }: FieldContext): boolean {
  return !hasSchema || !atomicMaps.has(field);
}

/** The value of a key field where an item leaves it out. */
export function keyDefault(key: string): string | undefined {
  return keyDefaults[key];
}
