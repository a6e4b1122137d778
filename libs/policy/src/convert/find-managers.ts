import { isJsonObject, type Json, type JsonObject } from '#kernel';

/** Field managers that stand for a tool which would write the object again, and how people call it. */
const fieldManagers: readonly (readonly [RegExp, string])[] = [
  [/^argocd/, 'Argo CD'],
  [/^kustomize-controller$/, 'Flux'],
  [/^helm-controller$/, 'Flux'],
  [/^helm$/i, 'Helm'],
  [/^terraform/i, 'Terraform'],
  [/^pulumi/i, 'Pulumi'],
];

/**
 * Names what writes a live object beside people: `Helm release web of namespace shop`, `Argo CD application shop`. By
 * the labels and annotations that tools leave for their own book-keeping; by the field managers where those say
 * nothing; by owners that are no controller. Each once, in this order.
 */
export function managersOf(metadata: JsonObject): readonly string[] {
  const labels = mapOf(metadata['labels']);
  const annotations = mapOf(metadata['annotations']);
  const marks = [
    ...helmRelease(labels, annotations),
    ...argoApplication(labels, annotations),
    ...fluxObject(labels, 'kustomize.toolkit.fluxcd.io', 'Flux Kustomization'),
    ...fluxObject(labels, 'helm.toolkit.fluxcd.io', 'Flux HelmRelease'),
  ];
  const tools = [...marks, ...fieldWriters(metadata, marks)];
  return [...tools, ...managedBy(labels, tools), ...owners(metadata)];
}

function helmRelease(labels: JsonObject, annotations: JsonObject): readonly string[] {
  const release = text(annotations['meta.helm.sh/release-name']);
  const namespace = text(annotations['meta.helm.sh/release-namespace']);
  if (release !== '')
    return [`Helm release ${release}${namespace === '' ? '' : ` of namespace ${namespace}`}`];
  return text(labels['app.kubernetes.io/managed-by']) === 'Helm' ? ['Helm'] : [];
}

/** The tracking annotation is `APPLICATION:GROUP/KIND:NAMESPACE/NAME`. */
function argoApplication(labels: JsonObject, annotations: JsonObject): readonly string[] {
  const [tracked = ''] = text(annotations['argocd.argoproj.io/tracking-id']).split(':');
  const application = tracked === '' ? text(labels['argocd.argoproj.io/instance']) : tracked;
  return application === '' ? [] : [`Argo CD application ${application}`];
}

function fluxObject(labels: JsonObject, prefix: string, title: string): readonly string[] {
  const [name, namespace] = [text(labels[`${prefix}/name`]), text(labels[`${prefix}/namespace`])];
  return name === '' ? [] : [`${title} ${namespace}/${name}`];
}

function fieldWriters(metadata: JsonObject, known: readonly string[]): readonly string[] {
  const entries = listOf(metadata['managedFields']).filter((each) => isJsonObject(each));
  const writers = entries.map((each) => text(each['manager']));
  const tools = fieldManagers.filter(([pattern]) => writers.some((writer) => pattern.test(writer)));
  const names = new Set(tools.map(([, name]) => name));
  return [...names].filter((name) => !known.some((each) => each.startsWith(name)));
}

/** Helm charts write their own name there even where another tool renders them, so that a known tool says more. */
function managedBy(labels: JsonObject, known: readonly string[]): readonly string[] {
  const name = text(labels['app.kubernetes.io/managed-by']);
  return name === '' || known.length > 0 ? [] : [name];
}

function owners(metadata: JsonObject): readonly string[] {
  return listOf(metadata['ownerReferences'])
    .filter((each) => isJsonObject(each))
    .map((each) => `${text(each['kind'])} ${text(each['name'])}, which owns it`);
}

function mapOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** Longer than any name, and a comment is one line. */
const nameMaximum = 253;

/** A text for one line: annotations may hold anything. */
function text(value: Json | undefined): string {
  if (typeof value !== 'string') return '';
  return value
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, nameMaximum);
}
