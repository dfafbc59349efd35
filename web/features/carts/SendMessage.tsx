import { NativeSelect } from '@mantine/core'
import { SAMPLE_CART, type SendChannel } from '../../../shared/delivery/reminders.ts'
import { type MessageText, SAMPLE_LABEL, type Selection } from '../../kits/manual-sends/sending.ts'
import { CartPicker } from '../../kits/message-editor/CartPicker.tsx'
import { WordsPreview } from '../../kits/message-editor/WordsPreview.tsx'
import type { MessagePreview } from './useShownMessage.ts'

const OFFERED = 50
const HEIGHT = 440

interface Props {
  channel: SendChannel
  selection: Selection
  preview: MessagePreview
  onChange: (next: Partial<MessageText>) => void
}

const decisionTexts = {
  send: { tone: 'good', text: 'This cart would get the message now.' },
  hold: { tone: 'warn', text: 'This cart would not get the message now.' },
  skip: { tone: 'quiet', text: 'This cart would be skipped now.' },
} as const

/** Preview by the sending code for one of the carts, and a test message to oneself. */
export function SendMessage({ channel, selection, preview, onChange }: Props) {
  const { cartId, query, message, isStale } = preview
  const isOne = selection.kind === 'carts' && selection.carts.length === 1
  return (
    <WordsPreview
      channel={channel}
      made={query}
      isStale={isStale}
      height={HEIGHT}
      // For a single cart the same is shown beside it.
      {...(!isOne && { decisionTexts })}
      of={cartId ? { cartId, channel, ...message } : null}
      {...(channel === 'sms' && { onBody: (body) => onChange({ body }) })}
    >
      {!isOne && <Whose selection={selection} preview={preview} />}
    </WordsPreview>
  )
}

/** One of the chosen carts; for "all matches", any. */
function Whose({ selection, preview: { cartId, choose } }: Pick<Props, 'selection' | 'preview'>) {
  if (cartId === null) return null
  if (selection.kind === 'matching') return <CartPicker value={cartId} onChange={choose} />
  return (
    <NativeSelect
      label="For the cart of"
      data={[
        ...selection.carts.slice(0, OFFERED).map(({ id, customer_name }) => ({ value: id, label: customer_name })),
        { value: SAMPLE_CART, label: SAMPLE_LABEL },
      ]}
      value={cartId}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}
