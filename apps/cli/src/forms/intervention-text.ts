import type { Intervention } from '#contracts';

/** What it does while it stands: `down`, `at least 2, at most 10, exactly 4`. */
export function whatText(intervention: Intervention): string {
  if (intervention.kind === 'Suspend') return directionWords[intervention.direction];
  if (intervention.kind === 'DryRun') return 'writes nothing';
  const { replicas, minReplicas, maxReplicas } = intervention;
  const counts = [
    minReplicas === null ? '' : `at least ${minReplicas}`,
    maxReplicas === null ? '' : `at most ${maxReplicas}`,
    replicas === null ? '' : `exactly ${replicas}`,
  ];
  return counts.filter((part) => part !== '').join(', ');
}

const directionWords = { Up: 'up', Down: 'down', Both: 'up and down' } as const;
