import { Notice } from '../ui/Notice.tsx'
import { Refused } from './CheckoutReturn.tsx'
import { formatBalance } from './credit-copy.ts'
import { useCheckedCredits } from './credit-queries.ts'
import { useCheckoutSession } from './useCheckoutSession.ts'

/** Return from paying for credits. The result is shown once and disappears on reload. */
export function CreditsReturn() {
  const id = useCheckoutSession('credits')
  const checked = useCheckedCredits(id)
  if (id === null) return null
  if (checked.error) return <Refused error={checked.error} onRetry={() => checked.refetch()} />
  const { data } = checked
  // One live region from the start, so screen readers announce the result.
  return (
    <div role="status">
      {!data && <Notice tone="info">Looking up what became of your payment...</Notice>}
      {data?.isPaid && (
        <Notice tone="good" title="Your credits are there.">
          You have {formatBalance(data.balanceMicros)} of credits.
        </Notice>
      )}
      {data?.isPaid === false && (
        <Notice tone="info" title="The payment is not made yet.">
          Credits are there as soon as it is.
        </Notice>
      )}
    </div>
  )
}
