import { Group, Text, Title } from '@mantine/core'
import { plans } from '../../../shared/billing/billing.ts'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { findEndDay, listPlanNotes } from './plan-copy.ts'
import type { Overview } from './queries.ts'
import { buildEndingBadge, getStatusBadge } from './statusLook.ts'

/** The plan, its status and scheduled changes. */
export function CurrentPlan({ subscription }: { subscription: Overview['subscription'] }) {
  const { plan, status } = subscription
  if (!plan) return null
  return (
    <>
      <Text fz="sm" c="dimmed">
        Current plan
      </Text>
      <Group gap="sm">
        <Title order={2} fz="xl">
          {plans[plan].name}
        </Title>
        {status && <StatusBadge {...getStatusBadge(status)} />}
        {subscription.cancelAtPeriodEnd && <StatusBadge {...buildEndingBadge(findEndDay(subscription))} />}
      </Group>
      {listPlanNotes(subscription).map((note) => (
        <Text key={note} mt={4}>
          {note}
        </Text>
      ))}
    </>
  )
}
