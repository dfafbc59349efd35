import { Button, Collapse, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import type { MessagePreview, SendChannel } from '../../shared/reminders.ts'
import { wordsOf } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingMail } from '../ui/Loading.tsx'
import { MailFrame } from '../ui/MailFrame.tsx'
import { Notice, type Tone } from '../ui/Notice.tsx'
import { SendWords, SmsLength } from './SendWords.tsx'
import { useMessagePreview, useTestSend } from './send-queries.ts'
import { lengthText, type MessageWords, type Selection, shownFor } from './sending.ts'

const OFFERED = 50

interface Props {
  channel: SendChannel
  selection: Selection
  eligible: string[]
  words: MessageWords
  /** The same as the server is asked for it. */
  message: { subject?: string; body?: string }
  onChange: (next: Partial<MessageWords>) => void
}

/** The message: its words to be changed, how the sending code makes it for one of the carts, and a test of it to oneself. */
export function SendMessage({ channel, selection, eligible, words, message, onChange }: Props) {
  // A text is short enough to be seen at once.
  const [isShown, preview] = useDisclosure(channel !== 'email')
  const [isEdited, edit] = useDisclosure(false)
  const isOwn = words.body !== null
  // Own words are seen, also those that were typed before the session ended.
  useEffect(() => {
    if (isOwn) edit.open()
  }, [isOwn, edit.open])
  const carts = selection.kind === 'carts' ? selection.carts.slice(0, OFFERED) : []
  const [chosen, setChosen] = useState<string | null>(null)
  const cartId = chosen ?? shownFor(selection, eligible)
  const made = useMessagePreview(cartId && (isShown || isEdited) ? { cartId, channel, ...message } : null)
  if (!cartId) return null
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {channel !== 'whatsapp' && <Expander label="Change the text" isOpen={isEdited} onToggle={edit.toggle} />}
        <Expander label="Preview and test" isOpen={isShown} onToggle={preview.toggle} />
      </Group>
      {channel !== 'whatsapp' && (
        <Collapse expanded={isEdited} keepMounted={false}>
          <SendWords
            channel={channel}
            cartId={cartId}
            words={words}
            problem={made.data?.problem ?? null}
            onChange={onChange}
          />
        </Collapse>
      )}
      <Collapse expanded={isShown} keepMounted={false}>
        <Stack gap="sm">
          {carts.length > 1 && (
            <NativeSelect
              label="For the cart of"
              data={carts.map(({ id, customer_name }) => ({ value: id, label: customer_name }))}
              value={cartId}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
          )}
          {made.data ? (
            <Message
              channel={channel}
              message={isEdited ? { ...made.data, problem: null } : made.data}
              isStale={made.isPlaceholderData}
              // Of a single cart the same has been said above.
              isOneOfMany={selection.kind === 'matching' || carts.length > 1}
            >
              {channel === 'sms' && made.data.segments !== null && (
                <SmsLength
                  cartId={cartId}
                  text={made.data.text}
                  segments={made.data.segments}
                  body={made.data.words!.body}
                  onReplace={(body) => onChange({ body })}
                />
              )}
            </Message>
          ) : made.error ? (
            <Failed title="The preview could not be made" error={made.error} onRetry={() => made.refetch()} />
          ) : (
            <LoadingMail />
          )}
          <TestSend channel={channel} cartId={cartId} message={message} />
        </Stack>
      </Collapse>
    </Stack>
  )
}

function Expander({ label, isOpen, onToggle }: { label: string; isOpen: boolean; onToggle: () => void }) {
  const Sign = isOpen ? IconChevronUp : IconChevronDown
  return (
    <Button
      variant="default"
      size="compact-sm"
      w="fit-content"
      aria-expanded={isOpen}
      rightSection={<Sign size={14} aria-hidden />}
      onClick={onToggle}
    >
      {label}
    </Button>
  )
}

const verdicts: Record<MessagePreview['decision']['outcome'], { tone: Tone; text: string }> = {
  send: { tone: 'good', text: 'This cart would get it now.' },
  hold: { tone: 'warn', text: 'This cart would not get it now.' },
  skip: { tone: 'quiet', text: 'This cart would be skipped now.' },
}

interface MessageProps {
  channel: SendChannel
  message: MessagePreview
  isStale: boolean
  isOneOfMany: boolean
  children: React.ReactNode
}

function Message({ channel, message, isStale, isOneOfMany, children }: MessageProps) {
  const { html, text, subject, segments, price, problem, decision } = message
  const verdict = verdicts[decision.outcome]
  return (
    <Stack gap="sm" aria-busy={isStale}>
      {isOneOfMany && (
        <Notice tone={verdict.tone} title={verdict.text}>
          {decision.outcome !== 'send' && decision.explanation}
        </Notice>
      )}
      {problem && (
        <Notice tone="bad" title="The text has a mistake" isLive>
          {problem}
        </Notice>
      )}
      {html ? (
        <>
          <Text className="subject">{subject}</Text>
          <MailFrame html={html} title="Preview of the mail" height={380} />
        </>
      ) : (
        text && <pre className="snippet">{text}</pre>
      )}
      {segments !== null && (
        <Text fz="sm" c="dimmed" className="tabular">
          {lengthText(channel, segments, price)}
        </Text>
      )}
      {children}
    </Stack>
  )
}

/** Marked as a test, with links that change nothing. A mail goes to the address one signs in with. */
function TestSend({ channel, cartId, message }: { channel: SendChannel; cartId: string; message: Props['message'] }) {
  const [to, setTo] = useState('')
  const test = useTestSend()
  const isText = channel !== 'email'
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        {isText && (
          <TextInput
            label="Your phone number"
            type="tel"
            autoComplete="tel"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        )}
        <Button
          variant="default"
          loading={test.isPending}
          disabled={isText && to.trim() === ''}
          onClick={() => test.mutate({ cartId, channel, ...message, ...(isText && { to: to.trim() }) })}
        >
          Send a test to myself
        </Button>
      </Group>
      {test.data && (
        <Notice tone={test.data.isAccepted ? 'good' : 'bad'} isLive>
          {test.data.isAccepted ? `Sent to ${test.data.to}.` : `Refused for ${test.data.to}.`} {test.data.response}
        </Notice>
      )}
      {test.error && (
        <Notice tone="bad" isLive>
          {wordsOf(test.error, BROKEN)}
        </Notice>
      )}
    </Stack>
  )
}
