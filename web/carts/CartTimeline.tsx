import { Card, Stack, Text, Title } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import type { MessageView, TimelineEntry } from '../../shared/carts.ts'
import { Empty } from '../ui/Empty.tsx'
import { DateTime } from '../ui/Time.tsx'
import { CartMessage } from './CartMessage.tsx'
import { type Past, storyOf } from './story.ts'

/** The next message, those after it, and everything that happened with the messages among it. */
export function CartTimeline({ messages, timeline }: { messages: MessageView[]; timeline: TimelineEntry[] }) {
  const { coming, past } = storyOf(messages, timeline)
  const [next, ...later] = coming
  return (
    <Card>
      <Title order={2} mb="md">
        Timeline
      </Title>
      <Stack gap="lg">
        {next ? (
          <Coming title="Next message" messages={[next]} />
        ) : messages.length === 0 ? (
          <Empty
            icon={IconMailOff}
            text="No message is scheduled for this cart. A flow schedules messages once it is switched on."
          />
        ) : (
          <Text fz="sm" c="dimmed">
            No further message is scheduled.
          </Text>
        )}
        {later.length > 0 && <Coming title="After that" messages={later} />}
        {past.length > 0 && (
          <section aria-label="So far">
            <Title order={3} mb="sm">
              So far
            </Title>
            <ol className="story">
              {past.map((each) => (
                <li key={keyOf(each)}>
                  <PastEntry past={each} />
                </li>
              ))}
            </ol>
          </section>
        )}
      </Stack>
    </Card>
  )
}

const keyOf = (past: Past) =>
  'message' in past ? past.message.id : `${past.at} ${past.entry.kind} ${past.entry.messageId} ${past.entry.title}`

function Coming({ title, messages }: { title: string; messages: MessageView[] }) {
  return (
    <section aria-label={title}>
      <Title order={3} mb="sm">
        {title}
      </Title>
      <Stack gap="lg">
        {messages.map((message) => (
          <CartMessage key={message.id} message={message} />
        ))}
      </Stack>
    </section>
  )
}

function PastEntry({ past }: { past: Past }) {
  if ('message' in past) return <CartMessage message={past.message} />
  const { title, text, at } = past.entry
  return (
    <>
      <Text fw={600} fz="sm">
        {title}
      </Text>
      {text && <Text fz="sm">{text}</Text>}
      <Text fz="xs" c="dimmed">
        <DateTime at={at} />
      </Text>
    </>
  )
}
