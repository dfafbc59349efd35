import { Button, Card, List, Stack, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { PlanLimits } from '../../shared/billing.ts'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { fillLimits } from './detail-copy.ts'
import { Meters } from './Meters.tsx'
import { useUsage } from './queries.ts'
import { listLimits } from './rules.ts'

/** Monthly usage against the plan's limits; only the limits if usage is unavailable. */
export function LimitsAndUsage({ features }: { features: Partial<PlanLimits> }) {
  const usage = useUsage()
  return (
    <Card h="100%">
      <Title order={2} mb="md">
        Limits and usage
      </Title>
      {usage.data ? (
        <Meters usage={usage.data} />
      ) : usage.error ? (
        <Stack gap="md">
          <List fz="sm" spacing={6}>
            {listLimits(fillLimits(features)).map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
          <Notice tone="bad" title="What was used could not be loaded." isLive>
            <Stack gap="sm" align="flex-start" mt={2}>
              <span>{usage.error.message}</span>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} aria-hidden />}
                loading={usage.isFetching}
                onClick={() => usage.refetch()}
              >
                Retry
              </Button>
            </Stack>
          </Notice>
        </Stack>
      ) : (
        <LoadingList />
      )}
    </Card>
  )
}
