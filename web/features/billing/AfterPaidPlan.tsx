import { Text } from '@mantine/core'
import { type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { formatCounted, formatNames } from '../../core/ui/format.ts'
import { findRestingStores } from './change-copy.ts'
import { useRestingStores } from './payment-queries.ts'
import { listLimits } from './rules.ts'

interface Props {
  plan: PlanKey
  /** Formatted date such as " on Dec 6, 2026", or empty; null ends at once because no period is paid. */
  end: string | null
}

/** What follows a paid plan: its end date, what remains, and which stores rest. Shown wherever its end is confirmed. */
export function AfterPaidPlan({ plan, end }: Props) {
  const { name, limits } = plans.free
  const its = `Your ${plans[plan].name} plan`
  return (
    <>
      <Text>
        {end === null
          ? `${its} ends now, not at the end of a billing period. ${name} includes:`
          : `${its} stays until the billing period ends${end}. Then your account is on ${name}, which includes:`}
      </Text>
      <ul>
        {listLimits(limits).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <RestingStoresNote />
      <Text mt="sm">
        Messages that {name} does not include are then held until they expire. Your stores stay connected, and their
        data is kept.
      </Text>
    </>
  )
}

function RestingStoresNote() {
  const stores = useRestingStores().data?.stores ?? []
  const resting = findRestingStores(stores, plans.free.limits.maxStores)
  if (resting.length === 0) return null
  return (
    <Text>
      {formatCounted(resting.length, 'store')} of {stores.length} will then become inactive: {formatNames(resting)}.
      Cart tracking and sync continue, but nothing is sent. Choose which under Billing.
    </Text>
  )
}
