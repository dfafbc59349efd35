import { useDebouncedValue } from '@mantine/hooks'
import { CartPicker } from '../words/CartPicker.tsx'
import { usePreviewCart } from '../words/queries.ts'
import { messageOf, NOTHING_YET, TYPING_PAUSE_MS, type WordChannel } from '../words/rules.ts'
import { finished } from '../words/step-coupon.ts'
import { WordsPreview } from '../words/WordsPreview.tsx'
import { usePreview } from './queries.ts'
import { couponOf, type StepEdit, wordsOf } from './rules.ts'

const decisionTexts = {
  send: { tone: 'good', text: 'This would be sent now.' },
  hold: { tone: 'warn', text: 'This would be held back for now.' },
  skip: { tone: 'quiet', text: 'This would not be sent.' },
} as const

interface Props {
  flowId: string
  step: StepEdit
  channel: WordChannel
  /** The one that was chosen, and how another is. */
  cart: readonly [string | null, (cartId: string) => void]
  onBody: (body: string) => void
}

/** The message as the sending code renders it, for a cart that could get it or the sample cart; unsaved text included. */
export function Preview({ flowId, step, channel, cart: [chosen, choose], onBody }: Props) {
  const first = usePreviewCart(channel)
  const cartId = chosen ?? first
  const typed = messageOf(channel, wordsOf(step))
  const shown = typed && JSON.stringify({ ...typed, channel, coupon: finished(couponOf(step)) })
  const [asked] = useDebouncedValue(shown, TYPING_PAUSE_MS)
  const of = cartId && asked ? { ...(JSON.parse(asked) as Asked), cartId } : null
  const made = usePreview(flowId, typed && of && { ...of, step: step.step })
  return (
    <WordsPreview
      channel={channel}
      made={made}
      isStale={made.isPlaceholderData || asked !== shown}
      decisionTexts={decisionTexts}
      nothing={typed ? null : NOTHING_YET}
      of={of}
      {...(channel === 'sms' && { onBody })}
    >
      <CartPicker value={cartId} onChange={choose} />
    </WordsPreview>
  )
}

interface Asked {
  channel: WordChannel
  subject?: string
  body?: string
  coupon: StepEdit['coupon']
}
