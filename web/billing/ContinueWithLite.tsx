import { Button, Card, Group, Text, Title } from '@mantine/core'
import { plans } from '../../shared/billing.ts'

/** The first step of a new account (decision 138): the free plan, before the paid ones. */
export function ContinueWithLite({ isBusy, onChoose }: { isBusy: boolean; onChoose: () => void }) {
  const { name, limits } = plans.free
  return (
    <Card padding="lg">
      <Group justify="space-between" gap="md">
        <div style={{ flex: '1 1 300px' }}>
          <Title order={2}>Start free with {name}</Title>
          <Text c="dimmed" mt={4}>
            One store and {limits.maxEmailsPerMonth} emails per month, no card. Upgrade when you reach a limit.
          </Text>
        </div>
        <Button size="md" loading={isBusy} onClick={onChoose}>
          Continue with {name}
        </Button>
      </Group>
    </Card>
  )
}
