import { Anchor, Skeleton, Text } from '@mantine/core'
import { TimeAgo } from '../ui/Time.tsx'
import { useLastMessage } from './send-queries.ts'
import { lastChannels, lastOutcomes } from './sending.ts'

/** The shopper's last message, so that members do not message twice unknowingly. */
export function LastMessage({ cartId }: { cartId: string }) {
  const last = useLastMessage(cartId)
  if (last.isPending) return <Skeleton h={18} w="70%" role="status" aria-label="Loading the last message" />
  if (!last.data) {
    return (
      <Text fz="sm" c="dimmed">
        The last message could not be loaded.{' '}
        <Anchor component="button" type="button" inherit underline="always" onClick={() => last.refetch()}>
          Retry
        </Anchor>
      </Text>
    )
  }
  const { message } = last.data
  return (
    <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {message ? (
        <>
          Last message: {lastChannels[message.channel]}, <TimeAgo at={message.at} />
          {message.subject && `, “${message.subject}”`}, {lastOutcomes[message.outcome]}
        </>
      ) : (
        'Last message: none has been sent to this shopper yet.'
      )}
    </Text>
  )
}
