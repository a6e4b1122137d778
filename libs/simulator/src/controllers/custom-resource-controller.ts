import { listAt, objectAt, textAt, toKubeTime } from '../objects/kube-object.ts';
import { type Controller, putStatus } from './cluster.ts';

/** Sets the conditions of a CustomResourceDefinition; its resources are served from the moment it is stored. */
export const customResourceController: Controller = {
  resource: 'apiextensions.k8s.io/customresourcedefinitions',
  reconcile: (definition, cluster) => {
    if (listAt(definition, 'status', 'conditions').length > 0) return;
    const since = { status: 'True', lastTransitionTime: toKubeTime(cluster.clock.now()) };
    const versions = listAt(definition, 'spec', 'versions').map((version) => textAt(version, 'name') ?? '');
    putStatus(definition, cluster, {
      conditions: [
        { type: 'NamesAccepted', ...since, reason: 'NoConflicts', message: 'no conflicts found' },
        {
          type: 'Established',
          ...since,
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames: objectAt(definition, 'spec', 'names'),
      storedVersions: versions,
    });
  },
};
