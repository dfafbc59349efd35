import { IconCircleCheck, IconCircleDashed, IconRefreshAlert } from '@tabler/icons-react'
import type { PushMethod } from '../../../shared/delivery/push.ts'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import type { PushSetup } from './queries.ts'
import { formatHost, methodNames } from './rules.ts'

type Place = PushSetup['seen'][number]

/** The live check: where widget and worker were seen running. `method`: limited to one install method. */
export function LiveCheck({ places, method }: { places: readonly Place[]; method?: PushMethod }) {
  const shopPlaces = method ? places.filter((each) => each.method === method) : places
  if (shopPlaces.length === 0) {
    return (
      <div role="status">
        <StatusBadge tone="quiet" icon={IconCircleDashed} label="Not seen yet" />{' '}
        <span>Open a page of your shop and put something into the cart. This check repeats by itself.</span>
      </div>
    )
  }
  return (
    <ul className="push-seen" aria-live="polite">
      {shopPlaces.map((place) => (
        <li key={`${place.method} ${place.origin}`}>
          <PlaceState place={place} isNamed={!method} />
        </li>
      ))}
    </ul>
  )
}

function PlaceState({ place, isNamed }: { place: Place; isNamed: boolean }) {
  const { method, origin, widgetAt, workerAt, isWorkerOld } = place
  if (workerAt && isWorkerOld) {
    return (
      <>
        <StatusBadge tone="warn" icon={IconRefreshAlert} label="Old sw.js" /> {isNamed && `${methodNames[method]}: `}
        seen <TimeAgo at={workerAt} /> from {formatHost(origin)}. Notifications go on, but your shop has an older copy
        of sw.js than Recoup. {renewal[method]}
      </>
    )
  }
  return workerAt ? (
    <>
      <StatusBadge tone="good" icon={IconCircleCheck} label="At work" /> {isNamed && `${methodNames[method]}: `}seen{' '}
      <TimeAgo at={workerAt} /> from {formatHost(origin)}
    </>
  ) : (
    <>
      <StatusBadge tone="warn" icon={IconCircleDashed} label="Worker missing" /> {isNamed && `${methodNames[method]}: `}
      the widget was seen <TimeAgo at={widgetAt} /> from {formatHost(origin)}, the worker not yet. The worker is looked
      for once something is in the cart.
    </>
  )
}

const UPLOAD = 'Upload sw.js from step 3 of Push Notification Integration again.'

/** What to do about an outdated copy in the shop. The plugin has no copy. */
const renewal: Record<PushMethod, string> = {
  plugin: '',
  functions: 'Copy the code for functions.php again, in place of the one that is there.',
  easy: UPLOAD,
  button: UPLOAD,
}
