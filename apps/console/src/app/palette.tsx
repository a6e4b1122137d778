import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { Dialog } from '../components/frames/dialog.tsx';
import { common } from '../messages/common.ts';
import { distinctActions, offeredActions } from '../navigation/offered-actions.ts';
import { knownPlaces, loadPlaces, type Place, placesOf } from '../navigation/places.ts';
import { useStore } from '../state/store.ts';

/** As many as are looked at without scrolling. */
const maximumShown = 12;

interface PaletteProps {
  /** What its field begins with. */
  readonly typed: string;
  readonly onClose: () => void;
}

/** Goes to a page, a policy or a source by a part of its name. */
export default function Palette({ typed, onClose }: PaletteProps): ReactElement {
  const [text, setText] = useState(typed);
  const [index, setIndex] = useState(0);
  const navigate = useNavigate();
  const known = useStore(knownPlaces);
  useEffect(() => void loadPlaces(), []);
  const offered = useStore(offeredActions);
  const places = useMemo(() => [...placesOf(known), ...actionsIn(offered)], [known, offered]);
  // Not deferred: Enter opens what the text finds, however soon it is pressed.
  const found = useMemo(() => search(places, text), [places, text]);
  const open = (place: Place | undefined): void => {
    if (place === undefined) return;
    onClose();
    if (typeof place.opens === 'string') void navigate(place.opens);
    else place.opens();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setIndex(Math.min(found.length - 1, index + 1));
    else if (event.key === 'ArrowUp') setIndex(Math.max(0, index - 1));
    else if (event.key === 'Enter') open(found[index]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={common.palette.title} onClose={onClose}>
      <input
        // A palette is opened to be typed into.
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        className="field"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length === 0 ? undefined : `palette-${index}`}
        aria-label={common.palette.placeholder}
        placeholder={common.palette.placeholder}
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value);
          setIndex(0);
        }}
      />
      <div className="palette-list" id="palette-list" role="listbox" aria-label={common.palette.title}>
        {found.map((place, position) => (
          <button
            key={`${place.kind} ${place.title}`}
            id={`palette-${position}`}
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={position === index}
            onClick={() => open(place)}
          >
            <bdi>{place.title}</bdi>
            <span className="quiet">{place.kind}</span>
          </button>
        ))}
      </div>
      {found.length === 0 ? <p className="quiet">{common.palette.nothing}</p> : null}
    </Dialog>
  );
}

function actionsIn(offered: ReturnType<typeof offeredActions.get>): readonly Place[] {
  return distinctActions(offered).map((action) => ({ ...action, kind: common.palette.action }));
}

/** Those that hold every word, the shorter first. */
function search(places: readonly Place[], text: string): readonly Place[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = places.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  const sorted = words.length === 0 ? found : found.toSorted((a, b) => a.title.length - b.title.length);
  return sorted.slice(0, maximumShown);
}
