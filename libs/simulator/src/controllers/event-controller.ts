import type { Controller } from './cluster.ts';

/** As `kube-apiserver --event-ttl` has it. */
const eventSeconds = 3_600;

/** Takes Events away an hour after they were written last, as the API server does. */
export const eventController: Controller = {
  resource: '/events',
  reconcile: ({ metadata }, { store, clock }) => {
    const { namespace = '', name, resourceVersion } = metadata;
    clock.schedule(eventSeconds * 1_000, () => {
      const event = store.get({ resource: '/events', namespace, name });
      if (event?.metadata.resourceVersion === resourceVersion) store.remove('/events', event);
    });
  },
};
