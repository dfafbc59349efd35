import type { ReactNode } from 'react'

// The path of a cart, or of many: cart, abandoned, message, click, bought. Styles: thread.css. It needs neither Mantine
// nor scripts, so the landing page can render it.

/** Colors and shapes are the same everywhere: won green, waiting blue, held amber, stopped gray, failed red. */
export type Outcome = 'won' | 'done' | 'waiting' | 'held' | 'stopped' | 'failed' | 'ahead'

export interface Station {
  key: string
  label: string
  outcome: Outcome
  /** One line below the label. */
  detail?: ReactNode
  /** Amount or count, shown large at size `page`. */
  figure?: ReactNode
  /** Before the label. */
  icon?: ReactNode
  /** Button or link of this station. */
  action?: ReactNode
}

interface Props {
  /** Accessible name. */
  label: string
  stations: readonly Station[]
  /** `head`: label and detail; `page`: large figures as well. A table row uses `ThreadDots`. */
  size?: 'head' | 'page'
  /** Always vertical; otherwise only where the width is small. */
  isStanding?: boolean
}

/** One line with a station per step. Shape and color show the outcome, and a word says it to screen readers. */
export function Thread({ label, stations, size = 'head', isStanding }: Props) {
  return (
    <div className="thread-box">
      <ol className="thread" aria-label={label} data-size={size} data-standing={isStanding || undefined}>
        {stations.map((station, index) => (
          <li key={station.key} data-station={station.key} {...describeStation(stations, index)}>
            <StationSign outcome={station.outcome} />
            <div className="station-text">
              {station.figure !== undefined && <span className="station-figure">{station.figure}</span>}
              <span className="station-label">
                {station.icon}
                {station.label}
                <span className="station-word">, {outcomeWords[station.outcome]}</span>
              </span>
              {station.detail && <span className="station-detail">{station.detail}</span>}
              {station.action && <span className="station-action">{station.action}</span>}
            </div>
          </li>
        ))}
      </ol>
    </div>
  )
}

export const outcomeWords: Record<Outcome, string> = {
  won: 'recovered',
  done: 'done',
  waiting: 'waiting',
  held: 'on hold',
  stopped: 'stopped',
  failed: 'failed',
  ahead: 'not yet',
}

/** Attributes of a station. The line after it is filled once the next station is reached. */
export const describeStation = (stations: readonly Pick<Station, 'outcome'>[], index: number) => ({
  'data-outcome': stations[index]!.outcome,
  'data-passed': (stations[index + 1] && stations[index + 1]!.outcome !== 'ahead') || undefined,
})

/** A disc or ring with the outcome's own shape. Decorative: words are beside it. */
export const StationSign = ({ outcome }: { outcome: Outcome }) => (
  <svg className="station-sign" viewBox="0 0 20 20" data-outcome={outcome} aria-hidden="true">
    <Shape outcome={outcome} />
  </svg>
)

/** Marks on a disc, as path data. */
const marks: Partial<Record<Outcome, string>> = {
  won: 'm5.8 10.4 2.8 2.8 5.6-6',
  held: 'M7.6 6.6v6.8M12.4 6.6v6.8',
  stopped: 'M5.8 10h8.4',
  failed: 'm6.7 6.7 6.6 6.6m0-6.6-6.6 6.6',
}

function Shape({ outcome }: { outcome: Outcome }) {
  if (outcome === 'ahead') return <circle className="sign-ring" cx="10" cy="10" r="6" strokeWidth="2" />
  if (outcome === 'waiting') {
    return (
      <>
        <circle className="sign-ring" cx="10" cy="10" r="7.75" strokeWidth="2.5" />
        <path className="sign-hands" d="M10 5.8V10l2.6 1.8" />
      </>
    )
  }
  return (
    <>
      <circle className="sign-disc" cx="10" cy="10" r="9" />
      {outcome === 'done' ? (
        <circle className="sign-hole" cx="10" cy="10" r="3" />
      ) : (
        <path className="sign-mark" d={marks[outcome]} />
      )}
    </>
  )
}
