import type { KubeObject } from '../objects/kube-object.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { builtinResources } from './builtin-resources.ts';
import { customResources } from './custom-resource.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

/** Which resources are served: the built-in ones, and those of the CustomResourceDefinitions in the store. */
export class ResourceRegistry {
  #byPath = new Map<string, ResourceDefinition>();
  #byKind = new Map<string, ResourceDefinition>();

  constructor(store: ObjectStore) {
    this.#rebuild([]);
    store.subscribe(({ resource }) => {
      if (resource === definitions) this.#rebuild(store.list(definitions));
    });
  }

  all(): readonly ResourceDefinition[] {
    return [...this.#byPath.values()];
  }

  /** By what a URL names. */
  find(apiVersion: string, plural: string): ResourceDefinition | undefined {
    return this.#byPath.get(`${apiVersion}/${plural}`);
  }

  /** By what an object names. */
  findKind(apiVersion: string, kind: string): ResourceDefinition | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  #rebuild(definitions: readonly KubeObject[]): void {
    const resources = [...builtinResources, ...definitions.flatMap(customResources)];
    this.#byPath = new Map(
      resources.map((resource) => [`${apiVersionOf(resource)}/${resource.plural}`, resource]),
    );
    this.#byKind = new Map(
      resources.map((resource) => [`${apiVersionOf(resource)}/${resource.kind}`, resource]),
    );
  }
}
