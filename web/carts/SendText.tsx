import { Button, Group, Stack, Text } from '@mantine/core'
import { smsSize, toGsm } from '../../shared/sms.ts'
import { Failed } from '../ui/Failed.tsx'
import { counted } from '../ui/format.ts'
import { LoadingList } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { TextFields } from '../words/TextFields.tsx'
import { useMessagePreview } from './send-queries.ts'
import type { MessageText } from './sending.ts'
import type { ShownMessage } from './useShownMessage.ts'

const LONGEST_SMS = 1_000
const CULPRITS_SHOWN = 8

interface Props {
  channel: 'email' | 'sms'
  /** `body` null: the words that come along. */
  words: MessageText
  shown: ShownMessage
  /** Why what is typed does not become a message. */
  problem: string | null
  onChange: (next: Partial<MessageText>) => void
}

/** The words of the message, to be changed before it goes: for these carts alone, no template changes. */
export function SendText({ channel, words, shown: { made, ready }, problem, onChange }: Props) {
  const own = words.body ?? ready
  if (own === undefined) {
    if (!made.error) return <LoadingList count={2} />
    return <Failed title="The text could not be loaded" error={made.error} onRetry={() => made.refetch()} />
  }
  return (
    <Stack gap="sm">
      <TextFields
        words={{ subject: words.subject, body: own }}
        hasSubject={false}
        problems={{ body: own.trim() === '' ? 'A message needs a text' : problem }}
        minRows={channel === 'sms' ? 4 : 10}
        {...(channel === 'sms' && { longest: LONGEST_SMS, isText: true })}
        onChange={onChange}
      />
      <Group gap="sm">
        <Text fz="sm" c="dimmed" style={{ flex: '1 1 220px' }}>
          This changes only this message, not the template.
          {channel === 'sms' && ' “Reply STOP to opt out.” is added if the text does not contain it.'}
        </Text>
        {words.body !== null && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange({ body: null })}>
            Use the default text
          </Button>
        )}
      </Group>
    </Stack>
  )
}

interface LengthProps {
  cartId: string
  /** As it would be sent, and how many segments that takes. */
  text: string
  segments: number
  /** The words it was made from. */
  body: string
  /** The message's own preview is through: one question at a time. */
  isSettled: boolean
  onReplace: (body: string) => void
}

/** Which signs make an SMS longer, and the same without them where that saves something: counted by the code that sends. */
export function SmsLength({ cartId, text, segments, body, isSettled, onReplace }: LengthProps) {
  const { culprits } = smsSize(text)
  const plain = toGsm(body)
  const other = useMessagePreview(plain === body || !isSettled ? null : { cartId, channel: 'sms', body: plain })
  const shorter = plain === body || other.isPlaceholderData ? null : (other.data?.segments ?? null)
  if (culprits.length === 0) return null
  const [sign, it] = culprits.length === 1 ? ['This character makes', 'it'] : ['These characters make', 'them']
  return (
    <Notice tone="info">
      {sign} an SMS longer: {culprits.slice(0, CULPRITS_SHOWN).join(' ')} With {it} a segment holds at most 70
      characters, without {it} 160.
      {shorter !== null && shorter < segments && (
        <Group gap="sm" mt="xs">
          <span>
            With plain characters, it takes {counted(shorter, 'segment')} instead of {segments}.
          </span>
          <Button variant="default" size="compact-sm" onClick={() => onReplace(plain)}>
            Use plain characters
          </Button>
        </Group>
      )}
    </Notice>
  )
}
