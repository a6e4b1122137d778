import { type ReactElement, useEffect } from 'react';
import { controllerMode, loadControllerMode } from '../api/controller-mode.ts';
import { ModeNote } from '../components/states/mode-note.tsx';
import { useStore } from '../state/store.ts';

/** A change of the configuration is in force within seconds, and seldom. */
const everyMilliseconds = 60_000;

/** On every page, where the controller writes nothing. */
export function ControllerModeNote(): ReactElement {
  const mode = useStore(controllerMode);
  useEffect(() => {
    void loadControllerMode();
    const timer = setInterval(() => void loadControllerMode(), everyMilliseconds);
    return () => clearInterval(timer);
  }, []);
  return <ModeNote mode={mode} />;
}
