import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconStethoscope } from '@tabler/icons-react'
import type { Check } from '../../shared/checks.ts'
import { CheckList } from '../ui/CheckList.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { useDoctor } from './queries.ts'

/** Asks the store itself, part by part. */
export function DoctorCard({ storeId }: { storeId: string }) {
  const doctor = useDoctor(storeId)
  return (
    <Card component="section" aria-label="Connection doctor">
      <Group justify="space-between" gap="xs">
        <Title order={2}>Connection doctor</Title>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconStethoscope size={14} aria-hidden />}
          loading={doctor.isFetching}
          onClick={() => doctor.refetch()}
        >
          Run again
        </Button>
      </Group>
      <Text fz="sm" c="dimmed" mt={4} mb="md" role="status">
        {doctor.isFetching ? (
          'Asking your store…'
        ) : doctor.data ? (
          <>
            {summaryOf(doctor.data.checks)} Asked <TimeAgo at={doctor.data.at} />.
          </>
        ) : (
          'Your store was not asked.'
        )}
      </Text>
      <Stack gap="md">
        {doctor.isPending && <LoadingList count={8} />}
        {doctor.error && (
          <Failed title="The connection could not be checked" error={doctor.error} onRetry={() => doctor.refetch()} />
        )}
        {doctor.data && <CheckList label="Parts of the connection" checks={doctor.data.checks} />}
      </Stack>
    </Card>
  )
}

function summaryOf(checks: readonly Check[]): string {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length
  const [problems, looks] = [count('bad'), count('warn')]
  if (problems + looks === 0) return 'All is well.'
  const parts = [
    problems > 0 ? `${problems} ${problems === 1 ? 'problem' : 'problems'}` : '',
    looks > 0 ? `${looks} to look at` : '',
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}
