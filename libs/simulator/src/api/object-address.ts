import type { ResourceDefinition } from '../registry/resource-definition.ts';

/** Which object. `namespace` is empty for cluster-scoped ones. */
export interface ObjectAddress {
  readonly resource: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
}
