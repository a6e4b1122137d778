import type { Json } from '#kernel';
import { type KubeObject, listAt, objectAt, textAt, valueAt } from '../objects/kube-object.ts';
import type { ResourceDefinition, ScalePaths } from './resource-definition.ts';

/** The resources that a CustomResourceDefinition defines: one a served version. */
export function customResources(definition: KubeObject): readonly ResourceDefinition[] {
  const spec = objectAt(definition, 'spec');
  return listAt(spec, 'versions')
    .filter((version) => valueAt(version, 'served') !== false)
    .map((version) => ({
      group: textAt(spec, 'group') ?? '',
      version: textAt(version, 'name') ?? '',
      plural: textAt(spec, 'names', 'plural') ?? '',
      singular: textAt(spec, 'names', 'singular') ?? (textAt(spec, 'names', 'kind') ?? '').toLowerCase(),
      kind: textAt(spec, 'names', 'kind') ?? '',
      namespaced: textAt(spec, 'scope') !== 'Cluster',
      shortNames: listAt(spec, 'names', 'shortNames').map(String),
      categories: listAt(spec, 'names', 'categories').map(String),
      custom: true,
      hasStatus: valueAt(version, 'subresources', 'status') !== undefined,
      hasGeneration: true,
      scale: scalePaths(valueAt(version, 'subresources', 'scale')),
      complete: (object) => object,
      validate: () => [],
      fieldSelectors: {},
    }));
}

function scalePaths(scale: Json | undefined): ScalePaths | undefined {
  if (scale === undefined) return undefined;
  return {
    specReplicas: pathOf(textAt(scale, 'specReplicasPath')),
    statusReplicas: pathOf(textAt(scale, 'statusReplicasPath')),
    selector: pathOf(textAt(scale, 'labelSelectorPath')),
  };
}

/** `.spec.replicas` → spec, replicas. */
function pathOf(text: string | undefined): readonly string[] {
  return (text ?? '').split('.').filter((part) => part !== '');
}
