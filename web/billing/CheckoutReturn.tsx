import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import type { z } from 'zod'
import { plans } from '../../shared/billing.ts'
import { billingTexts } from '../../shared/billing-texts.ts'
import type { checkSession } from '../../shared/payments.ts'
import { useConnection } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { Failed } from '../ui/Failed.tsx'
import { Notice } from '../ui/Notice.tsx'
import { getFailureText } from './failure.ts'
import { useCheckedSession } from './payment-queries.ts'
import { useCheckoutSession } from './useCheckoutSession.ts'

/** Return from the provider's checkout (A 4.3). The result is shown once and disappears on reload. */
export function CheckoutReturn() {
  const id = useCheckoutSession('session_id')
  const checked = useCheckedSession(id)
  if (id === null) return null
  if (checked.error) return <Refused error={checked.error} onRetry={() => checked.refetch()} />
  // One live region from the start, so screen readers announce the result.
  return (
    <div role="status">{checked.data ? <Outcome {...checked.data} /> : <Notice tone="info">{WAITING}</Notice>}</div>
  )
}

const WAITING = 'Looking up what became of your checkout...'

function Outcome({ success, plan }: z.output<typeof checkSession.reply>) {
  if (!success) {
    return (
      <Notice tone="info" title="The checkout was not completed.">
        Nothing was charged, and your plan is what it was.{' '}
        <Anchor component={Link} to="/pricing">
          {billingTexts.viewPlans}
        </Anchor>
      </Notice>
    )
  }
  return (
    <Notice tone="good" title="Your checkout is complete.">
      {plan ? `You are on the ${plans[plan].name} plan.` : 'Your plan follows within a minute.'}
      {plan && <NextStep />}
    </Notice>
  )
}

/** Buyers without a store continue to the set-up. */
function NextStep() {
  const hasConnection = useConnection()?.data?.hasConnection
  if (hasConnection !== false) return null
  return (
    <>
      {' '}
      <Anchor component={Link} to="/store-setup">
        Connect your store
      </Anchor>
    </>
  )
}

/** The checkout could not be read or belongs to another account. */
export function Refused({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  const words = getFailureText(error, billingTexts.failed.processCheckout)!
  const mayHeal = error instanceof ApiError && error.isOutage
  if (mayHeal) return <Failed title={words} error={error} onRetry={onRetry} />
  return (
    <Notice tone="bad" title="This checkout could not be looked up." isLive>
      {words}
    </Notice>
  )
}
