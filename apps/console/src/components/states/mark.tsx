import type { ReactElement } from 'react';

/** The Plimsoll mark: a circle with the load line through it. */
export function Mark({ size = 22 }: { readonly size?: number }): ReactElement {
  return (
    <svg
      className="mark"
      viewBox="0 0 32 32"
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      aria-hidden="true"
    >
      <circle cx="16" cy="16" r="9" />
      <path d="M2 16h28" />
    </svg>
  );
}
