import { Notice } from '../ui/Notice.tsx'
import { Refused } from './CheckoutReturn.tsx'
import { useCheckedCredits } from './credit-queries.ts'
import { balanceWords } from './credit-words.ts'
import { useReturned } from './useReturned.ts'

/** Back from paying for credits: what became of it is said once, and is gone with a reload. */
export function CreditsReturn() {
  const id = useReturned('credits')
  const checked = useCheckedCredits(id)
  if (id === null) return null
  if (checked.error) return <Refused error={checked.error} onRetry={() => checked.refetch()} />
  const { data } = checked
  // One element from the waiting on: what comes into it is read out.
  return (
    <div role="status">
      {!data && <Notice tone="info">Looking up what became of your payment...</Notice>}
      {data?.isPaid && (
        <Notice tone="good" title="Your credits are there.">
          You have {balanceWords(data.balanceMicros)} of credits.
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
