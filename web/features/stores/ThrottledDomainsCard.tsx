import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconBan, IconClockPause } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ThrottledDomain } from '../../../shared/delivery/sending.ts'
import { listThrottledDomains } from '../../../shared/delivery/sending.ts'
import { call } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { DateTime, TimeAgo } from '../../core/ui/Time.tsx'

/** Mail domains that currently reject mail, and how Recoup reacts. */
export function ThrottledDomainsCard() {
  const domains = useThrottledDomains()
  return (
    <Card component="section" aria-label="Paused email providers">
      <Title order={2}>Paused email providers</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        When a provider such as Gmail delays or refuses your emails, Recoup pauses sending to it and retries with one
        message. The others wait, up to 24 hours.
      </Text>
      {domains.isPending && <LoadingList count={1} />}
      {domains.error && (
        <Failed
          title="The paused providers could not be loaded"
          error={domains.error}
          onRetry={() => domains.refetch()}
        />
      )}
      {domains.data?.domains.length === 0 && <Text fz="sm">No email provider is paused.</Text>}
      {domains.data && domains.data.domains.length > 0 && (
        <Stack component="ul" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
          {domains.data.domains.map((each) => (
            <Domain key={each.domain} {...each} />
          ))}
        </Stack>
      )}
    </Card>
  )
}

function Domain({ domain, kind, since, triesAt, answer }: ThrottledDomain) {
  return (
    <li>
      <Group gap="6px 10px">
        <Text fw={600} fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {domain}
        </Text>
        {kind === 'blocked' ? (
          <StatusBadge tone="bad" icon={IconBan} label="refusing email" />
        ) : (
          <StatusBadge tone="warn" icon={IconClockPause} label="delaying email" />
        )}
      </Group>
      <Text fz="sm">
        Since <TimeAgo at={since} />.{' '}
        {triesAt ? (
          <>
            Next retry with one message: <DateTime at={triesAt} />.
          </>
        ) : (
          'Retrying with one message now.'
        )}
      </Text>
      <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        Its answer: {answer}
      </Text>
    </li>
  )
}

const useThrottledDomains = () =>
  useQuery({ queryKey: ['paused-receivers'], queryFn: ({ signal }) => call(listThrottledDomains, { signal }) })
