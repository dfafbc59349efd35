import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { SendChannel } from '../../shared/reminders.ts'
import { CartPicker } from './CartPicker.tsx'
import { type PreviewOf, useMessagePreview, usePreviewCart } from './queries.ts'
import { messageOf, NOTHING_YET, TYPING_PAUSE_MS, type Words } from './rules.ts'
import { type CouponEdit, finished } from './step-coupon.ts'
import { WordsPreview } from './WordsPreview.tsx'

interface Props {
  channel: SendChannel
  words: Words
  coupon: CouponEdit['coupon']
  onBody: (body: string) => void
}

/** For a cart that could get the message, another one, or the sample cart. */
export function CartPreview({ channel, words, coupon, onBody }: Props) {
  const [chosen, choose] = useState<string | null>(null)
  const first = usePreviewCart(channel)
  const cartId = chosen ?? first
  const typed = messageOf(channel, words)
  const shown = typed && JSON.stringify({ ...typed, channel, coupon: finished(coupon) })
  const [asked] = useDebouncedValue(shown, TYPING_PAUSE_MS)
  const of = cartId && asked ? { ...(JSON.parse(asked) as Omit<PreviewOf, 'cartId'>), cartId } : null
  const made = useMessagePreview(typed && of)
  return (
    <WordsPreview
      channel={channel}
      made={made}
      isStale={made.isPlaceholderData || asked !== shown}
      nothing={typed ? null : NOTHING_YET}
      of={of}
      {...(channel === 'sms' && { onBody })}
    >
      <CartPicker value={cartId} onChange={choose} />
    </WordsPreview>
  )
}
