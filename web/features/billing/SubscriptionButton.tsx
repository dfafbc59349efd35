import { Drawer, UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { plans } from '../../../shared/billing/billing.ts'
import { useSubscription } from '../../core/access/queries.ts'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { findEndDay } from './plan-copy.ts'
import { buildEndingBadge, getStatusBadge } from './statusLook.ts'

const SubscriptionPanel = lazy(async () => ({ default: (await import('./SubscriptionPanel.tsx')).SubscriptionPanel }))

/** Name and status of a paid plan (A 2.2); opens the drawer of A 2.12 (decision 123). Not rendered on the free plan. */
export function SubscriptionButton({ variant = 'header-link' }: { variant?: 'header-link' | 'side-link' }) {
  const subscription = useSubscription()
  const [isOpen, setOpen] = useState(false)
  const isPaid = subscription?.plan != null && subscription.plan !== 'free'
  const name = isPaid && plans[subscription.plan!].name
  const status = subscription?.status && getStatusBadge(subscription.status)
  // Text only: the header has no room for a second badge.
  const end = subscription?.cancelAtPeriodEnd ? buildEndingBadge(findEndDay(subscription)).label : null
  const label = `Subscription: ${[name, status?.label, end].filter(Boolean).join(', ')}`
  return (
    <>
      {name && (
        <UnstyledButton
          className={variant}
          aria-label={label}
          {...(end && { title: label })}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          {name}
          {status && <StatusBadge {...status} />}
        </UnstyledButton>
      )}
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="right"
        size="md"
        title="Subscription"
        attributes={{ header: { role: 'presentation' } }}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Suspense fallback={<LoadingCards count={3} />}>
          <SubscriptionPanel onLeave={() => setOpen(false)} />
        </Suspense>
      </Drawer>
    </>
  )
}
