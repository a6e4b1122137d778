import type { Intervention } from '#contracts';

/** What it does while it stands: `down`, `exactly 40`, `at least 2, at most 10`. */
export function whatText(intervention: Intervention): string {
  if (intervention.kind === 'Suspend') return directionWords[intervention.direction];
  if (intervention.kind === 'DryRun') return 'writes nothing';
  const { replicas, minReplicas, maxReplicas } = intervention;
  const bounds = [
    minReplicas === null ? '' : `at least ${minReplicas}`,
    maxReplicas === null ? '' : `at most ${maxReplicas}`,
  ];
  return replicas === null ? bounds.filter((part) => part !== '').join(', ') : `exactly ${replicas}`;
}

const directionWords = { Up: 'up', Down: 'down', Both: 'up and down' } as const;
