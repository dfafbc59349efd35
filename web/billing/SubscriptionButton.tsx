import { Link } from 'react-router'
import { plans } from '../../shared/billing.ts'
import { useSubscription } from '../access/queries.ts'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { statusLook } from './statusLook.ts'

/** Plan and status of a paid plan (A 2.2); nothing on the free one. */
export function SubscriptionButton({ look = 'header-link' }: { look?: 'header-link' | 'side-link' }) {
  const subscription = useSubscription()
  if (!subscription?.plan || subscription.plan === 'free') return null
  const { name } = plans[subscription.plan]
  const status = subscription.status && statusLook(subscription.status)
  return (
    <Link to="/pricing" className={look} aria-label={`Subscription: ${name}${status ? `, ${status.label}` : ''}`}>
      {name}
      {status && <StatusBadge {...status} />}
    </Link>
  )
}
