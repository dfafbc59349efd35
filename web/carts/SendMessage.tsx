import { NativeSelect, Stack, Text, Title } from '@mantine/core'
import { SAMPLE_CART, type SendChannel } from '../../shared/reminders.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingMail } from '../ui/Loading.tsx'
import { MessageShown } from '../words/MessageShown.tsx'
import { TestSend } from '../words/TestSend.tsx'
import { SmsLength } from './SendText.tsx'
import { type MessageText, SAMPLE_LABEL, type Selection } from './sending.ts'
import type { ShownMessage } from './useShownMessage.ts'

const OFFERED = 50
const HEIGHT = 440

interface Props {
  channel: SendChannel
  selection: Selection
  shown: ShownMessage
  onChange: (next: Partial<MessageText>) => void
}

const decisionTexts = {
  send: { tone: 'good', text: 'This cart would get the message now.' },
  hold: { tone: 'warn', text: 'This cart would not get the message now.' },
  skip: { tone: 'quiet', text: 'This cart would be skipped now.' },
} as const

/** How the sending code makes the message for one of the carts, and a test of it to oneself. */
export function SendMessage({ channel, selection, shown, onChange }: Props) {
  const { cartId, choose, made, message, isStale } = shown
  const carts = selection.kind === 'carts' ? selection.carts.slice(0, OFFERED) : []
  const isOne = carts.length === 1
  return (
    <Stack
      gap="sm"
      component="section"
      aria-label="Preview"
      className={channel === 'email' ? 'send-preview' : undefined}
    >
      <Title order={3}>Preview</Title>
      {cartId !== null && carts.length > 1 && (
        <NativeSelect
          label="For the cart of"
          data={[
            ...carts.map(({ id, customer_name }) => ({ value: id, label: customer_name })),
            { value: SAMPLE_CART, label: SAMPLE_LABEL },
          ]}
          value={cartId}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      )}
      {made.data ? (
        <MessageShown
          channel={channel}
          message={made.data}
          isStale={isStale}
          height={HEIGHT}
          // Of a single cart the same has been said beside it.
          {...(!isOne && { decisionTexts })}
        >
          {channel === 'sms' && cartId && made.data.segments !== null && (
            <SmsLength
              cartId={cartId}
              text={made.data.text}
              segments={made.data.segments}
              body={made.data.words!.body}
              isSettled={!isStale && !made.isFetching}
              onReplace={(body) => onChange({ body })}
            />
          )}
        </MessageShown>
      ) : made.error ? (
        <Failed title="The preview could not be made" error={made.error} onRetry={() => made.refetch()} />
      ) : (
        <LoadingMail />
      )}
      {cartId === SAMPLE_CART ? (
        <Text fz="sm" c="dimmed">
          A test to yourself needs a real cart.
        </Text>
      ) : (
        cartId && <TestSend channel={channel} cartId={cartId} message={message} />
      )}
    </Stack>
  )
}
