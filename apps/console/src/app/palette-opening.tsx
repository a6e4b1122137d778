import { type ReactElement, Suspense, useLayoutEffect, useState } from 'react';
import { lazyPart } from '../components/states/lazy-part.tsx';
import { common } from '../messages/common.ts';

const loadPalette = () => import('./palette.tsx');
const Palette = lazyPart(loadPalette);

/** Before it is opened, so that it need not be waited for. */
export function preloadPalette(): void {
  void loadPalette().catch(() => undefined);
}

interface PaletteOpeningProps {
  readonly onClose: () => void;
}

/** The palette, which begins with what was typed before it was loaded. */
export function PaletteOpening({ onClose }: PaletteOpeningProps): ReactElement {
  const [typed, setTyped] = useState('');
  return (
    <Suspense fallback={<Typed text={typed} onType={setTyped} onClose={onClose} />}>
      <Palette typed={typed} onClose={onClose} />
    </Suspense>
  );
}

/** Takes keys wherever they are pressed, and leaves the focus where it is: that is where the palette gives it back. */
function Typed({ text, onType, onClose }: TypedProps): ReactElement {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.length === 1) onType((before) => before + event.key);
      else if (event.key === 'Backspace') onType((before) => before.slice(0, -1));
      else if (event.key === 'Escape') onClose();
      // What has the focus is not pressed; nothing is found yet that could be opened.
      else if (event.key !== 'Enter') return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [onType, onClose]);
  return (
    <div className="overlay">
      <div className="dialog dialog-body">
        <header className="dialog-header">
          <h2>{common.palette.title}</h2>
        </header>
        <p className="field">{text}</p>
        <p className="quiet" role="status">
          {common.loading}
        </p>
      </div>
    </div>
  );
}

interface TypedProps extends PaletteOpeningProps {
  readonly text: string;
  readonly onType: (change: (before: string) => string) => void;
}
