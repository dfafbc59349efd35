import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { useState } from 'react'
import type { MessagePreview, SendChannel } from '../../../shared/delivery/reminders.ts'
import { BROKEN, getErrorText } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingMail } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { useFirstPress } from '../../core/ui/useFirstPress.ts'
import { useCanSend } from '../manual-sends/useTextAction.ts'
import { MessageShown } from './MessageShown.tsx'
import type { MadeOf, TestOf } from './queries.ts'
import { useTestSend } from './queries.ts'
import type { WordChannel } from './rules.ts'
import { SmsLength } from './SmsLength.tsx'
import { TestHere } from './TestHere.tsx'

interface Props extends Pick<ComponentProps<typeof MessageShown>, 'decisionTexts' | 'unmet' | 'height' | 'isStale'> {
  channel: WordChannel
  made: UseQueryResult<MessagePreview>
  /** The recipient of the preview. */
  children?: ReactNode
  /** Shown while there is no preview. */
  nothing?: string | null
  /** The input for the test send. null: not known yet. */
  of: MadeOf | null
  /** Replaces the text of an SMS. */
  onBody?: (body: string) => void
}

/** Previews these texts as the sending code renders them, and sends a test to the user. */
export function WordsPreview({ channel, made, children, nothing = null, of, onBody, ...shown }: Props) {
  const mayTest = useCanSend()
  return (
    <Stack
      gap="md"
      component="section"
      aria-label="Preview"
      className={channel === 'email' ? 'mail-preview' : undefined}
    >
      <Title order={3}>Preview</Title>
      {children}
      {nothing !== null ? (
        <Text fz="sm" c="dimmed">
          {nothing}
        </Text>
      ) : made.data ? (
        <MessageShown channel={channel} message={made.data} {...shown}>
          {onBody && of && 'cartId' in of && made.data.segments !== null && made.data.words && (
            <SmsLength
              of={{ ...of, channel: 'sms', body: made.data.words.body }}
              text={made.data.text}
              segments={made.data.segments}
              isSettled={!shown.isStale && !made.isFetching}
              onReplace={onBody}
            />
          )}
        </MessageShown>
      ) : made.error ? (
        <Failed title="The preview could not be loaded" error={made.error} onRetry={() => made.refetch()} />
      ) : (
        <LoadingMail />
      )}
      {mayTest &&
        of &&
        nothing === null &&
        (isTested(of) && channel !== 'push' ? (
          <TestSend key={channel} channel={channel} of={of} />
        ) : (
          <TestHere words={sendable(made.data)} />
        ))}
    </Stack>
  )
}

/** A browser must subscribe before it can receive a test. */
const isTested = (of: MadeOf): of is TestOf => !('channel' in of && of.channel === 'push')

/** The texts as a shopper would read them. Texts with an error are not sent. */
const sendable = (message: MessagePreview | undefined) =>
  message && message.problem === null && message.text.trim() !== '' && message.subject.trim() !== ''
    ? { title: message.subject, body: message.text }
    : null

/** The test is marked as one, and its links change nothing. A mail goes to the sign-in address of the user. */
function TestSend({ channel, of }: { channel: SendChannel; of: TestOf }) {
  const [to, setTo] = useState('')
  const test = useTestSend()
  const isFirst = useFirstPress()
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
          onClick={() => {
            if (isFirst()) test.mutate({ ...of, ...(isText && { to: to.trim() }) })
          }}
        >
          Send a test to myself
        </Button>
      </Group>
      {test.data && (
        <Notice tone={test.data.isAccepted ? 'good' : 'bad'} isLive>
          {test.data.isAccepted
            ? `Sent to ${test.data.to}. It arrives in a moment.`
            : `Not sent to ${test.data.to}. ${test.data.response}`}{' '}
          {test.data.couponNote}
        </Notice>
      )}
      {test.error && (
        <Notice tone="bad" isLive>
          {getErrorText(test.error, BROKEN)}
        </Notice>
      )}
    </Stack>
  )
}
