import { type ShownState, stateTexts } from '../../messages/states.ts';
import { type FleetView, groupings, orders } from './fleet-view.ts';

const defaultLabel = 'team';

/** The view that an address names; what it does not know, it passes over. */
export function viewOf(parameters: URLSearchParams): FleetView {
  const grouping = groupings.find((each) => each === parameters.get('group')) ?? 'none';
  const order = orders.find((each) => each === parameters.get('sort')) ?? 'name';
  return {
    search: parameters.get('q') ?? '',
    namespace: parameters.get('namespace') ?? '',
    source: parameters.get('source') ?? '',
    states: parameters.getAll('state').filter(isState),
    labelled: parameters.get('labelled') ?? '',
    grouping,
    order,
    label: parameters.get('label') ?? defaultLabel,
  };
}

/** The parameters that name a view, without those that are as they are anyway; others that were there stay. */
export function parametersOf(view: FleetView, before: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(before);
  const set = (name: string, value: string, usual: string): void =>
    value === usual ? next.delete(name) : next.set(name, value);
  set('q', view.search, '');
  set('namespace', view.namespace, '');
  set('source', view.source, '');
  set('labelled', view.labelled, '');
  set('group', view.grouping, 'none');
  set('sort', view.order, 'name');
  set('label', view.label, defaultLabel);
  next.delete('state');
  for (const state of view.states) next.append('state', state);
  return next;
}

function isState(text: string): text is ShownState {
  return Object.hasOwn(stateTexts, text);
}
