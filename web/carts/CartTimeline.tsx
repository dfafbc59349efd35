import { Card, Stack, Text, Title } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import type { MessageView, TimelineEntry } from '../../shared/carts.ts'
import { Empty } from '../ui/Empty.tsx'
import { DateTime } from '../ui/Time.tsx'
import { CartMessage } from './CartMessage.tsx'
import { buildStory, type CartFlow, describeFlow, type StoryPart } from './story.ts'

interface Props {
  messages: MessageView[]
  timeline: TimelineEntry[]
  flow: CartFlow
}

/** The next message first, later ones below, with the history of events between them. */
export function CartTimeline({ messages, timeline, flow }: Props) {
  const story = buildStory(messages, timeline)
  return (
    <Card>
      <Title order={2} mb="md">
        Timeline
      </Title>
      <Stack gap="lg">
        {messages.length === 0 ? (
          <Empty
            icon={IconMailOff}
            text={`No message is scheduled for this cart. ${flow ? describeFlow(flow) : 'A flow schedules messages once it is switched on.'}`}
          />
        ) : (
          !story[0]?.isPlanned && (
            <Text fz="sm" c="dimmed">
              No further message is scheduled. {flow && !flow.isOn && describeFlow(flow)}
            </Text>
          )
        )}
        {story.length > 0 && (
          <ol className="story">
            {story.map((part) => (
              <li key={getEntryKey(part)} {...(part.isPlanned && { 'data-planned': true })}>
                <Part part={part} />
              </li>
            ))}
          </ol>
        )}
      </Stack>
    </Card>
  )
}

const getEntryKey = (part: StoryPart) =>
  'message' in part ? part.message.id : `${part.at} ${part.entry.kind} ${part.entry.messageId} ${part.entry.title}`

function Part({ part }: { part: StoryPart }) {
  if ('message' in part) return <CartMessage message={part.message} />
  const { title, text, at } = part.entry
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
