import { IconCircleCheck, IconCircleDashed, IconRefreshAlert } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { PushMethod } from '../../../shared/delivery/push.ts'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import type { PushSetup } from './queries.ts'
import { findWorkingMethod, formatHost, methodNames } from './rules.ts'

type Place = PushSetup['seen'][number]

/** Where widget and worker were seen running: the first thing on both screens. */
export function LiveCheck({ places }: { places: readonly Place[] }) {
  return (
    <section className="push-live" aria-label="Live check">
      {places.length === 0 ? (
        <div role="status">
          <NotSeen />
          <Link to="/settings">Install the Recoup plugin</Link>, which includes web push, or add{' '}
          <Link to="/push-setup">the code</Link>. Then open your shop and add something to the cart.
        </div>
      ) : (
        <Places places={places} isNamed />
      )}
    </section>
  )
}

/** The live check of one install method. Another one may be at work. */
export function MethodCheck({ places, method }: { places: readonly Place[]; method: PushMethod }) {
  const own = places.filter((each) => each.method === method)
  const other = findWorkingMethod(places)
  if (own.length > 0) return <Places places={own} isNamed={false} />
  return (
    <div role="status" className="push-live">
      <NotSeen />
      {other
        ? `Not needed: web push works through ${methodNames[other]}.`
        : 'Open a page of your shop and add something to the cart. This page checks automatically.'}
    </div>
  )
}

const NotSeen = () => (
  <>
    <StatusBadge tone="quiet" icon={IconCircleDashed} label="Not seen yet" />{' '}
  </>
)

const Places = ({ places, isNamed }: { places: readonly Place[]; isNamed: boolean }) => (
  <ul className="push-seen" aria-live="polite">
    {places.map((place) => (
      <li key={`${place.method} ${place.origin}`}>
        <PlaceState place={place} isNamed={isNamed} />
      </li>
    ))}
  </ul>
)

function PlaceState({ place, isNamed }: { place: Place; isNamed: boolean }) {
  const { method, origin, widgetAt, workerAt, isWorkerOld } = place
  const name = isNamed && `${methodNames[method]}: `
  if (workerAt && isWorkerOld) {
    return (
      <>
        <StatusBadge tone="warn" icon={IconRefreshAlert} label="Old sw.js" /> {name}seen <TimeAgo at={workerAt} /> from{' '}
        {formatHost(origin)}. Notifications still work, but your shop’s copy of sw.js is outdated. {renewal[method]}
      </>
    )
  }
  return workerAt ? (
    <>
      <StatusBadge tone="good" icon={IconCircleCheck} label="Working" /> {name}seen <TimeAgo at={workerAt} /> from{' '}
      {formatHost(origin)}
    </>
  ) : (
    <>
      <StatusBadge tone="warn" icon={IconCircleDashed} label="Worker missing" /> {name}widget seen{' '}
      <TimeAgo at={widgetAt} /> from {formatHost(origin)}, but no service worker yet. Add something to the cart in your
      shop to check again.
    </>
  )
}

const UPLOAD = 'Upload sw.js from step 3 of Push Notification Integration again.'

/** What to do about an outdated copy in the shop. The plugin has no copy. */
const renewal: Record<PushMethod, string> = {
  plugin: '',
  functions: 'Copy the code for functions.php again and replace the one in your theme.',
  easy: UPLOAD,
  button: UPLOAD,
}
