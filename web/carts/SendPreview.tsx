import { Button, Collapse, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useState } from 'react'
import type { MessagePreview, SendChannel } from '../../shared/reminders.ts'
import { wordsOf } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { Failed } from '../ui/Failed.tsx'
import { counted, formatPrice } from '../ui/format.ts'
import { LoadingMail } from '../ui/Loading.tsx'
import { MailFrame } from '../ui/MailFrame.tsx'
import { Notice, type Tone } from '../ui/Notice.tsx'
import { useMessagePreview, useTestSend } from './send-queries.ts'
import type { Selection } from './sending.ts'

const TYPING_PAUSE_MS = 500
const OFFERED = 50

interface Props {
  channel: SendChannel
  selection: Selection
  eligible: string[]
  title: { subject?: string }
}

/** The message as the sending code makes it for one of the carts, and a test of it to oneself. */
export function SendPreview({ channel, selection, eligible, title }: Props) {
  const [isOpen, preview] = useDisclosure(false)
  const carts = selection.kind === 'carts' ? selection.carts.slice(0, OFFERED) : []
  const [chosen, setChosen] = useState<string | null>(null)
  const cartId = chosen ?? eligible[0] ?? carts[0]?.id ?? null
  const Sign = isOpen ? IconChevronUp : IconChevronDown
  if (!cartId) return null
  return (
    <div>
      <Button
        variant="default"
        size="compact-sm"
        aria-expanded={isOpen}
        rightSection={<Sign size={14} aria-hidden />}
        onClick={preview.toggle}
      >
        Preview and test
      </Button>
      <Collapse expanded={isOpen} keepMounted={false}>
        <Stack gap="sm" pt="sm">
          {carts.length > 1 && (
            <NativeSelect
              label="For the cart of"
              data={carts.map(({ id, customer_name }) => ({ value: id, label: customer_name }))}
              value={cartId}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
          )}
          <Shown channel={channel} cartId={cartId} title={title} />
          <TestSend channel={channel} cartId={cartId} title={title} />
        </Stack>
      </Collapse>
    </div>
  )
}

interface ShownProps {
  channel: SendChannel
  cartId: string
  title: { subject?: string }
}

function Shown({ channel, cartId, title }: ShownProps) {
  const [subject] = useDebouncedValue(title.subject, TYPING_PAUSE_MS)
  const preview = useMessagePreview({ cartId, channel, ...(subject && { subject }) })
  if (preview.data) return <Message message={preview.data} isStale={preview.isPlaceholderData} />
  if (preview.error) {
    return <Failed title="The preview could not be made" error={preview.error} onRetry={() => preview.refetch()} />
  }
  return <LoadingMail />
}

const tones: Record<MessagePreview['decision']['outcome'], Tone> = { send: 'good', hold: 'warn', skip: 'quiet' }

function Message({ message, isStale }: { message: MessagePreview; isStale: boolean }) {
  const { html, text, subject, segments, price, problem, decision } = message
  return (
    <Stack gap="sm" aria-busy={isStale}>
      <Notice tone={tones[decision.outcome]}>{decision.explanation}</Notice>
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
          {counted(segments, 'segment')}
          {price && ` · ${formatPrice(price.amount, price.currency)}`}
        </Text>
      )}
    </Stack>
  )
}

/** Marked as a test, with links that change nothing. A mail goes to the address one signs in with. */
function TestSend({ channel, cartId, title }: ShownProps) {
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
          onClick={() => test.mutate({ cartId, channel, ...title, ...(isText && { to: to.trim() }) })}
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
