import type { ReactElement } from 'react';

/** The counts of a policy. */
export interface ReplicaBarProps {
  readonly minimum: number;
  readonly maximum: number;
  /** Null: not known. */
  readonly now: number | null;
  /** What is asked for, where it is not what there is. */
  readonly desired?: number | null | undefined;
  readonly width?: number;
}

const height = 20;
const middle = height / 2;
const inset = 8;

/**
 * Where a count stands between its bounds, as a load line on a hull: the track is from none to the maximum, its solid part
 * from the minimum on, and the mark is the count. The numbers are beside it as text.
 */
export function ReplicaBar({
  minimum,
  maximum,
  now,
  desired = null,
  width = 168,
}: ReplicaBarProps): ReactElement {
  const most = Math.max(maximum, now ?? 0, desired ?? 0, 1);
  const at = (count: number): number => inset + (count / most) * (width - 2 * inset);
  return (
    <svg
      className="replica-bar"
      data-full={now !== null && now >= maximum}
      viewBox={`0 0 ${width} ${height}`}
      width={`${width / 16}rem`}
      height={`${height / 16}rem`}
      role="img"
      aria-label={labelOf({ minimum, maximum, now, desired })}
    >
      <path className="replica-bar-below" d={`M${at(0)} ${middle}H${at(minimum)}`} />
      <path className="replica-bar-range" d={`M${at(minimum)} ${middle}H${at(maximum)}`} />
      <path
        className="replica-bar-bound"
        d={`M${at(minimum)} ${middle - 4}v8M${at(maximum)} ${middle - 4}v8`}
      />
      {desired === null || desired === now ? null : (
        <circle className="replica-bar-desired" cx={at(desired)} cy={middle} r="4" />
      )}
      {now === null ? null : <Load from={at(minimum)} to={at(now)} />}
    </svg>
  );
}

/** The mark at the count, and the line up to it. */
function Load({ from, to }: { readonly from: number; readonly to: number }): ReactElement {
  return (
    <>
      {to > from ? <path className="replica-bar-load" d={`M${from} ${middle}H${to}`} /> : null}
      <g className="replica-bar-now">
        <circle cx={to} cy={middle} r="4.5" />
        <path d={`M${to} ${middle - 8}v16`} />
      </g>
    </>
  );
}

function labelOf({ minimum, maximum, now, desired = null }: ReplicaBarProps): string {
  const count = now === null ? 'count unknown' : `${now} replicas`;
  const wanted = desired === null || desired === now ? '' : `, ${desired} wanted`;
  return `${count}${wanted}, between ${minimum} and ${maximum}`;
}
