import { Card, Group, List, Stack, Text, Title } from '@mantine/core'
import { type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { listLimits } from './rules.ts'

interface Props {
  plan: PlanKey | null
  isUnlimited: boolean
  supportEmail: string | undefined
}

/** For installations without billing (decision 82): the current plan, and whom to ask for another. */
export function NoBilling({ plan, isUnlimited, supportEmail }: Props) {
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} fz={28}>
          {billingTexts.noBilling}
        </Title>
        <Text c="dimmed" mt="xs">
          Nothing is charged. The server’s administrator sets each account’s plan.
        </Text>
      </div>
      {plan && (
        <Card padding="xl">
          <Group gap="xs">
            <Text c="dimmed">Your plan</Text>
            <Title order={2}>{isUnlimited ? `${plans[plan].name}, without limits` : plans[plan].name}</Title>
          </Group>
          <List mt="md" spacing={6}>
            {[...(isUnlimited ? [] : listLimits(plans[plan].limits)), ...plans[plan].features].map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        </Card>
      )}
      {supportEmail && (
        <Text>
          To change it, write to <a href={`mailto:${supportEmail}?subject=Our%20plan`}>{supportEmail}</a>.
        </Text>
      )}
    </Stack>
  )
}
