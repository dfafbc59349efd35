import { Button, Group } from '@mantine/core'
import { measureSms, toGsm } from '../../../shared/messages/sms.ts'
import { formatCounted } from '../../core/ui/format.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { type PreviewOf, useMessagePreview } from './queries.ts'

const CULPRITS_SHOWN = 8

interface Props {
  /** The input that was rendered. */
  of: PreviewOf & { body: string }
  /** The text as sent, and its number of segments. */
  text: string
  segments: number
  /** The preview of the message has finished, so that only one request runs at a time. */
  isSettled: boolean
  onReplace: (body: string) => void
}

/** Shows the characters that make an SMS longer, and offers a shorter text. The sending code counts the segments. */
export function SmsLength({ of, text, segments, isSettled, onReplace }: Props) {
  const { culprits } = measureSms(text)
  const plain = toGsm(of.body)
  const other = useMessagePreview(plain === of.body || !isSettled ? null : { ...of, body: plain })
  const shorter = plain === of.body || other.isPlaceholderData ? null : (other.data?.segments ?? null)
  if (culprits.length === 0) return null
  const [sign, it] = culprits.length === 1 ? ['This character makes', 'it'] : ['These characters make', 'them']
  return (
    <Notice tone="info">
      {sign} an SMS longer: {culprits.slice(0, CULPRITS_SHOWN).join(' ')} With {it} a segment holds at most 70
      characters, without {it} 160.
      {shorter !== null && shorter < segments && (
        <Group gap="sm" mt="xs">
          <span>
            With plain characters, it takes {formatCounted(shorter, 'segment')} instead of {segments}.
          </span>
          <Button variant="default" size="compact-sm" onClick={() => onReplace(plain)}>
            Use plain characters
          </Button>
        </Group>
      )}
    </Notice>
  )
}
