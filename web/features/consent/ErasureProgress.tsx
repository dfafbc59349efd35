import { Button, Card, Progress, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Erasure } from '../../../shared/workspace/privacy.ts'
import { readErasure } from '../../../shared/workspace/privacy.ts'
import { call } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { Notice } from '../../core/ui/Notice.tsx'

interface Props {
  started: Erasure
  onDone: () => void
  doneLabel?: string
}

/** Progress of an erasure. Sending stops immediately at the request. */
export function ErasureProgress({ started, onDone, doneLabel = 'Find another person' }: Props) {
  const { data, error, refetch } = useErasure(started)
  const { storesDone, storesTotal, finishedAt, counts } = data
  if (finishedAt) {
    return (
      <Card>
        <Stack gap="md" align="flex-start">
          <Notice tone="good" isLive title="This person is erased">
            {describeResult(counts)} Only a fingerprint of each address is kept on the suppression list. Erase the
            person in your shop too: it keeps its own records.
          </Notice>
          <Button variant="default" onClick={onDone}>
            {doneLabel}
          </Button>
        </Stack>
      </Card>
    )
  }
  return (
    <Card>
      <Title order={2}>Erasing</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md" role="status">
        {storesDone} of {formatCounted(storesTotal, 'store')} done. This person gets no more messages. You can leave
        this page.
      </Text>
      <Progress value={storesTotal === 0 ? 100 : (storesDone / storesTotal) * 100} aria-label="Stores done" />
      {error && <Failed title="The progress could not be loaded" error={error} onRetry={() => refetch()} />}
    </Card>
  )
}

function describeResult(counts: Record<string, number>): string {
  const parts = [
    [counts.carts, 'cart'],
    [counts.orders, 'order'],
    [counts.messages, 'message'],
  ] as const
  const texts = parts.flatMap(([count, word]) => (count ? [formatCounted(count, word)] : []))
  return texts.length > 0 ? `${texts.join(', ')} are now anonymous.` : 'There was nothing more to erase.'
}

const EVERY_MS = 1_000

/** Polls until the erasure is done, then refetches everything about the store. */
function useErasure(started: Erasure) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: ['erasure', started.id],
    queryFn: async ({ signal }) => {
      const { erasure } = await call(readErasure, { params: { erasureId: started.id }, signal })
      if (erasure.finishedAt) {
        void queries.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] !== 'erasure' && queryKey[0] !== 'person',
        })
      }
      return erasure
    },
    initialData: started,
    refetchInterval: ({ state }) => (state.data?.finishedAt ? false : EVERY_MS),
  })
}
