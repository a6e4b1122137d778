import type { FieldLabels } from '../objects/field-selector.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import type { FieldProblem } from './field-problem.ts';

/** Where a scalable object keeps its counts. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A `LabelSelector` (built-in kinds) or its text (custom resources). */
  readonly selector: readonly string[];
}

/** Known fields, nested; `any` stands for a value of any shape. Lists are described by their items. */
export interface FieldTypes {
  readonly [field: string]: FieldTypes | 'any' | 'int32' | 'string';
}

/** One resource, as data: everything the server needs to know about a kind. */
export interface ResourceDefinition {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Whether it is defined by a CustomResourceDefinition: no schema of ours applies. */
  readonly custom: boolean;
  /** Whether `/status` exists, and the main resource ignores `status`. */
  readonly hasStatus: boolean;
  /** Whether `metadata.generation` counts changes of the desired state. */
  readonly hasGeneration: boolean;
  readonly scale?: ScalePaths | undefined;
  /** Fills in what Kubernetes fills in; runs on create and on update. */
  readonly complete: (object: KubeObject) => KubeObject;
  readonly validate: (object: KubeObject) => readonly FieldProblem[];
  /** Field selectors beside metadata.name and metadata.namespace: label → path. */
  readonly fieldSelectors: FieldLabels;
  /** Where given, unknown fields are refused or dropped with a warning, as `fieldValidation` says. */
  readonly fields?: FieldTypes | undefined;
}

/** The key that objects of a resource are stored under, the same for all its versions. */
export function resourceKey({ group, plural }: Pick<ResourceDefinition, 'group' | 'plural'>): string {
  return `${group}/${plural}`;
}

/** `v1` or `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<ResourceDefinition, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
