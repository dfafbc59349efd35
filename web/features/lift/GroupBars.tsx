import './lift.css'
import type { ExperimentView } from '../../../shared/carts/experiments.ts'
import { formatCount } from '../../core/ui/format.ts'
import { buildGroupBars } from './copy.ts'

/** Both groups as bars: the share of their shoppers who bought. */
export const GroupBars = ({ experiment }: { experiment: ExperimentView }) => (
  <dl className="lift-bars">
    {buildGroupBars(experiment).map(({ arm, label, people, purchases, boughtPercent, width }) => (
      <div key={arm}>
        <dt>{label}</dt>
        <dd>
          <span className="lift-bar" aria-hidden>
            <span data-arm={arm} style={{ width: `${width}%` }} />
          </span>
          <span className="lift-bar-text tabular">
            <strong>{boughtPercent === null ? '–' : `${boughtPercent}%`}</strong> {formatCount(purchases)} of{' '}
            {formatCount(people)} bought
            {experiment.waiting[arm] > 0 && ` · ${formatCount(experiment.waiting[arm])} not counted yet`}
          </span>
        </dd>
      </div>
    ))}
  </dl>
)
