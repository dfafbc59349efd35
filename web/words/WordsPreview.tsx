import { Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { SAMPLE_CART, type SendChannel } from '../../shared/reminders.ts'
import { useMaySend } from '../carts/useTextAction.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingMail } from '../ui/Loading.tsx'
import { CartPicker } from './CartPicker.tsx'
import { MessageShown } from './MessageShown.tsx'
import { type PreviewOf, usePreviewCart, useWordsPreview } from './queries.ts'
import type { Words } from './rules.ts'
import { type CouponEdit, finished } from './step-coupon.ts'
import { TestSend } from './TestSend.tsx'

const TYPING_PAUSE_MS = 500

interface Props {
  channel: SendChannel
  words: Words
  coupon: CouponEdit['coupon']
}

/** The words as the sending code makes a message of them, for a cart that could get it, another one, or the sample cart. */
export function WordsPreview({ channel, words, coupon }: Props) {
  const mayTest = useMaySend()
  const [chosen, choose] = useState<string | null>(null)
  const first = usePreviewCart(channel)
  const cartId = chosen ?? first
  const typed = messageOf(channel, words)
  const shown = { ...typed, channel, coupon: finished(coupon) }
  const [asked] = useDebouncedValue(JSON.stringify(shown), TYPING_PAUSE_MS)
  const isTyped =
    channel === 'whatsapp' || (words.body.trim() !== '' && (channel === 'sms' || words.subject.trim() !== ''))
  const made = useWordsPreview(
    cartId && isTyped ? { ...(JSON.parse(asked) as Omit<PreviewOf, 'cartId'>), cartId } : null,
  )
  return (
    <Stack gap="md" component="section" aria-label="Preview">
      <Title order={3}>Preview</Title>
      <CartPicker value={cartId} onChange={choose} />
      {!isTyped ? (
        <Text fz="sm" c="dimmed">
          Write the message to see it here.
        </Text>
      ) : made.data ? (
        <MessageShown
          channel={channel}
          message={made.data}
          isStale={made.isPlaceholderData || asked !== JSON.stringify(shown)}
        />
      ) : made.error ? (
        <Failed title="The preview could not be made" error={made.error} onRetry={() => made.refetch()} />
      ) : (
        <LoadingMail />
      )}
      {mayTest && isTyped && cartId !== null && cartId !== SAMPLE_CART && (
        <>
          <TestSend channel={channel} cartId={cartId} message={typed} />
          {coupon && (
            <Text fz="sm" c="dimmed">
              A test has no coupon: codes are made for customers only.
            </Text>
          )}
        </>
      )}
    </Stack>
  )
}

/** WhatsApp has an approved template; an SMS has no subject. */
function messageOf(channel: SendChannel, { subject, body }: Words): { subject?: string; body?: string } {
  if (channel === 'whatsapp') return {}
  return channel === 'sms' ? { body } : { subject, body }
}
