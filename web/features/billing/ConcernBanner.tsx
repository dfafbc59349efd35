import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { plans } from '../../../shared/billing/billing.ts'
import { useHasPermission, useInstance, useStore, useSubscription } from '../../core/access/queries.ts'
import type { Concern } from './concerns.ts'
import { describeOverdue, formatDate } from './plan-copy.ts'

// Banner about a subscription problem. Loaded on demand because it is rare.

export function ConcernBanner({ kind }: Pick<Concern, 'kind'>) {
  const subscription = useSubscription()
  const support = useInstance()?.supportEmail
  const mayPay = useHasPermission('billing:write')
  if (!subscription?.plan) return null
  const { suspension, trialEndsAt, hasCard, cancelAtPeriodEnd } = subscription
  if (kind === 'suspended' && suspension) {
    return (
      <ConcernText title={`Sending has been suspended since ${formatDate(suspension.since)}.`}>
        {suspension.reason} This account sends nothing.
        {support && (
          <>
            {' '}
            Write to <a href={`mailto:${support}?subject=Suspended sending`}>{support}</a>.
          </>
        )}
      </ConcernText>
    )
  }
  if (kind === 'overdue') {
    return (
      <>
        <ConcernText title="A payment is overdue.">
          {describeOverdue(subscription)}
          {!mayPay && ' An owner or admin of this account can pay it.'}
        </ConcernText>
        {mayPay && <BillingLink />}
      </>
    )
  }
  if (kind === 'resting') return <Resting mayPay={mayPay} />
  if (kind !== 'trial' || !trialEndsAt) return null
  const { name } = plans[subscription.plan]
  const isEnding = !hasCard || cancelAtPeriodEnd
  return (
    <>
      <ConcernText title={`The trial of ${name} ends on ${formatDate(trialEndsAt)}.`}>
        {isEnding
          ? `After that the account moves to ${plans.free.name}${cancelAtPeriodEnd ? '' : ', unless a card is added'}.`
          : 'After that your card is charged.'}
        {isEnding && !mayPay && ' An owner or admin of this account can change that.'}
      </ConcernText>
      {mayPay && <BillingLink />}
    </>
  )
}

function Resting({ mayPay }: { mayPay: boolean }) {
  const store = useStore()
  if (!store) return null
  return (
    <>
      <ConcernText title={`${store.name} is inactive.`}>
        More stores are connected than the plan includes. This one tracks carts and syncs, but sends nothing.
        {!mayPay && ' An owner or admin of this account can change that.'}
      </ConcernText>
      {mayPay && <BillingLink />}
    </>
  )
}

/** Renders nothing. */
function BillingLink() {
  const { pathname } = useLocation()
  return pathname === '/billing' ? null : <Link to="/billing">Go to billing</Link>
}

const ConcernText = ({ title, children }: { title: string; children: ReactNode }) => (
  <span className="grow">
    <strong>{title}</strong> {children}
  </span>
)
