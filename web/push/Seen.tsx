import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import type { PushMethod } from '../../shared/push.ts'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import type { PushSetup } from './queries.ts'
import { hostOf, methodNames } from './rules.ts'

type Place = PushSetup['seen'][number]

/** The live check: from where widget and worker were seen at work. `method`: of one way alone. */
export function Seen({ seen, method }: { seen: readonly Place[]; method?: PushMethod }) {
  const places = method ? seen.filter((each) => each.method === method) : seen
  if (places.length === 0) {
    return (
      <div role="status">
        <StatusBadge tone="quiet" icon={IconCircleDashed} label="Not seen yet" />{' '}
        <span>Open a page of your shop and put something into the cart. This check repeats by itself.</span>
      </div>
    )
  }
  return (
    <ul className="push-seen" aria-live="polite">
      {places.map((place) => (
        <li key={`${place.method} ${place.origin}`}>
          <SeenAt place={place} isNamed={!method} />
        </li>
      ))}
    </ul>
  )
}

const SeenAt = ({ place: { method, origin, widgetAt, workerAt }, isNamed }: { place: Place; isNamed: boolean }) =>
  workerAt ? (
    <>
      <StatusBadge tone="good" icon={IconCircleCheck} label="At work" /> {isNamed && `${methodNames[method]}: `}seen{' '}
      <TimeAgo at={workerAt} /> from {hostOf(origin)}
    </>
  ) : (
    <>
      <StatusBadge tone="warn" icon={IconCircleDashed} label="Worker missing" /> {isNamed && `${methodNames[method]}: `}
      the widget was seen <TimeAgo at={widgetAt} /> from {hostOf(origin)}, the worker not yet. The worker is looked for
      once something is in the cart.
    </>
  )
