import './lift.css'
import type { Interval } from '../../../shared/carts/experiments.ts'

interface Props {
  interval: Interval
  /** Formats of the bound nearer to zero and of the outer one. */
  format: Record<'inner' | 'outer', (amount: number) => string>
}

/** An interval on a line with zero in the middle or at one side. The text beside it has the same content. */
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
        {listLabels(side, { low, high }, format).map((word) => (
          <span key={word}>{word}</span>
        ))}
      </div>
    </div>
  )
}

/** From left to right. */
function listLabels(side: 'more' | 'less' | 'unseen', { low, high }: Interval, format: Props['format']): string[] {
  const none = 'no difference'
  const { inner, outer } = format
  if (side === 'more') return [none, `${inner(low)} to ${outer(high)} more`]
  if (side === 'less') return [`${inner(-high)} to ${outer(-low)} less`, none]
  return [`${outer(-low)} less`, none, `${outer(high)} more`]
}
