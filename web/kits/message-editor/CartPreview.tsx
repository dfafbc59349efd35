import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { NO_CART } from '../../../shared/delivery/reminders.ts'
import { isDesigned, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { CartPicker } from './CartPicker.tsx'
import { type PreviewOf, useMessagePreview, usePreviewCart } from './queries.ts'
import { messageOf, NOTHING_YET, TYPING_PAUSE_MS, type WordChannel, type Words } from './rules.ts'
import { type CouponEdit, finished } from './step-coupon.ts'
import { WordsPreview } from './WordsPreview.tsx'

interface Props {
  channel: WordChannel
  words: Words
  /** Instead of the words. */
  design?: MailDocument | null | undefined
  coupon: CouponEdit['coupon']
  /** The recipients may have no cart, so the preview shows one of them. */
  isWithoutCart?: boolean
  onBody: (body: string) => void
}

/** For a cart that could get the message, another cart, the sample cart, or a shopper without a cart. */
export function CartPreview({ channel, words, design, coupon, isWithoutCart = false, onBody }: Props) {
  const [chosen, choose] = useState<string | null>(null)
  const first = usePreviewCart(channel)
  const cartId = isWithoutCart ? first : (chosen ?? first)
  const typed = channel === 'email' && isDesigned(design) ? { design } : messageOf(channel, words)
  const shown = typed && JSON.stringify({ ...typed, channel, coupon: finished(coupon) })
  const [asked] = useDebouncedValue(shown, TYPING_PAUSE_MS)
  const of = cartId && asked ? { ...(JSON.parse(asked) as Omit<PreviewOf, 'cartId'>), cartId } : null
  const made = useMessagePreview(typed && of && (isWithoutCart ? { ...of, cartId: NO_CART } : of))
  return (
    <WordsPreview
      channel={channel}
      made={made}
      isStale={made.isPlaceholderData || asked !== shown}
      nothing={typed ? null : NOTHING_YET}
      of={of}
      {...(channel === 'sms' && { onBody })}
    >
      {isWithoutCart ? (
        <Text fz="sm" c="dimmed">
          Preview for a customer without a cart.
        </Text>
      ) : (
        <CartPicker value={cartId} onChange={choose} />
      )}
    </WordsPreview>
  )
}
