import { type ComponentType, lazy, type LazyExoticComponent, type ReactElement } from 'react';
import { common } from '../../messages/common.ts';
import { EmptyState } from './empty-state.tsx';

interface Loaded<Properties> {
  readonly default: ComponentType<Properties>;
}

/**
 * A part of the console that is loaded when it is shown first. Where its files cannot be had, since the controller is away
 * or has been upgraded meanwhile, it says so in its own place, and the rest of the page stays.
 */
export function lazyPart<Properties>(
  load: () => Promise<Loaded<Properties>>,
): LazyExoticComponent<ComponentType<Properties>> {
  return lazy(() => load().catch((): Loaded<Properties> => ({ default: NotLoaded })));
}

function NotLoaded(): ReactElement {
  const { title, text, again } = common.notLoaded;
  return (
    <div role="alert">
      <EmptyState title={title}>
        {text}{' '}
        <button type="button" className="link" onClick={() => location.reload()}>
          {again}
        </button>
      </EmptyState>
    </div>
  );
}
