import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { plans } from '../../shared/billing.ts'
import { useInstance, useMay, useStore, useSubscription } from '../access/queries.ts'
import type { Concern } from './concerns.ts'
import { formatDate, overdueWords } from './plan-words.ts'

// Banner about a subscription problem. Loaded on demand because it is rare.

export function ConcernBanner({ kind }: Pick<Concern, 'kind'>) {
  const subscription = useSubscription()
  const support = useInstance()?.supportEmail
  const mayPay = useMay('billing:write')
  if (!subscription?.plan) return null
  const { suspension, trialEndsAt, hasCard, cancelAtPeriodEnd } = subscription
  if (kind === 'suspended' && suspension) {
    return (
      <Words title={`Sending is suspended since ${formatDate(suspension.since)}.`}>
        {suspension.reason} No message of this account is sent.
        {support && (
          <>
            {' '}
            Write to <a href={`mailto:${support}?subject=Suspended sending`}>{support}</a>.
          </>
        )}
      </Words>
    )
  }
  if (kind === 'overdue') {
    return (
      <>
        <Words title="A payment is overdue.">
          {overdueWords(subscription)}
          {!mayPay && ' An owner or admin of this account can pay it.'}
        </Words>
        {mayPay && <ToBilling />}
      </>
    )
  }
  if (kind === 'resting') return <Resting mayPay={mayPay} />
  if (kind !== 'trial' || !trialEndsAt) return null
  const { name } = plans[subscription.plan]
  const isEnding = !hasCard || cancelAtPeriodEnd
  return (
    <>
      <Words title={`The trial of ${name} ends on ${formatDate(trialEndsAt)}.`}>
        {isEnding
          ? `After that the account goes on with ${plans.free.name}${cancelAtPeriodEnd ? '' : ', unless a card is added'}.`
          : 'After that it is paid by the card you have added.'}
        {isEnding && !mayPay && ' An owner or admin of this account can change that.'}
      </Words>
      {mayPay && <ToBilling />}
    </>
  )
}

function Resting({ mayPay }: { mayPay: boolean }) {
  const store = useStore()
  if (!store) return null
  return (
    <>
      <Words title={`${store.name} rests.`}>
        More stores are connected than the plan has room for. It goes on capturing carts and syncing, and sends nothing.
        {!mayPay && ' An owner or admin of this account can change that.'}
      </Words>
      {mayPay && <ToBilling />}
    </>
  )
}

/** Renders nothing. */
function ToBilling() {
  const { pathname } = useLocation()
  return pathname === '/billing' ? null : <Link to="/billing">Go to billing</Link>
}

const Words = ({ title, children }: { title: string; children: ReactNode }) => (
  <span className="grow">
    <strong>{title}</strong> {children}
  </span>
)
