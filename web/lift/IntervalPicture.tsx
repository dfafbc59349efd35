import './lift.css'
import type { Interval } from '../../shared/experiments.ts'

interface Props {
  interval: Interval
  /** How an amount is written. */
  format: (amount: number) => string
}

/** An interval on a line with nothing in its middle or at its side; the sentence beside it says the same. */
export function IntervalPicture({ interval: { low, high }, format }: Props) {
  const [from, until] = [Math.min(low, 0), Math.max(high, 0)]
  const room = (until - from) * 0.08 || 1
  const place = (amount: number) => ((amount - from + room) / (until - from + 2 * room)) * 100
  const side = low > 0 ? 'more' : high < 0 ? 'less' : 'unseen'
  return (
    <div className="interval" aria-hidden>
      <div className="interval-line">
        <span
          className="interval-bar"
          data-side={side}
          style={{ insetInlineStart: `${place(low)}%`, width: `${place(high) - place(low)}%` }}
        />
        <span className="interval-zero" style={{ insetInlineStart: `${place(0)}%` }} />
      </div>
      <div className="interval-words">
        <span>{low < 0 ? `${format(-low)} less` : low > 0 ? `${format(low)} more` : 'no difference'}</span>
        {side === 'unseen' && <span className="interval-none">no difference</span>}
        <span>{high > 0 ? `${format(high)} more` : high < 0 ? `${format(-high)} less` : 'no difference'}</span>
      </div>
    </div>
  )
}
