import { Stack, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Failed } from '../ui/Failed.tsx'
import { LoadingMail } from '../ui/Loading.tsx'
import { CartPicker } from '../words/CartPicker.tsx'
import { MessageShown } from '../words/MessageShown.tsx'
import { usePreviewCart } from '../words/queries.ts'
import { finished } from '../words/step-coupon.ts'
import { usePreview } from './queries.ts'
import { couponOf, type StepEdit } from './rules.ts'

const TYPING_PAUSE_MS = 500

const decisionTexts = {
  send: { tone: 'good', text: 'This would be sent now.' },
  hold: { tone: 'warn', text: 'This would be held back for now.' },
  skip: { tone: 'quiet', text: 'This would not be sent.' },
} as const

/** The message as the sending code renders it, for a cart that could get it or the sample cart; unsaved text included. */
export function Preview({ flowId, step }: { flowId: string; step: StepEdit }) {
  const [chosen, choose] = useState<string | null>(null)
  const first = usePreviewCart(step.channel)
  const cartId = chosen ?? first
  const shown = previewOf(step)
  const [text] = useDebouncedValue(shown, TYPING_PAUSE_MS)
  const isTyped = text.subject?.trim() !== '' && text.body?.trim() !== ''
  const preview = usePreview(flowId, cartId && isTyped ? { ...text, cartId } : null)
  return (
    <Stack gap="md">
      <Title order={3}>Preview</Title>
      <CartPicker value={cartId} onChange={choose} />
      {preview.data ? (
        <MessageShown
          channel={text.channel ?? step.channel}
          message={preview.data}
          decisionTexts={decisionTexts}
          isStale={preview.isPlaceholderData || !isSame(text, shown)}
        />
      ) : preview.error ? (
        <Failed title="The preview could not be made" error={preview.error} onRetry={() => preview.refetch()} />
      ) : (
        <LoadingMail />
      )}
    </Stack>
  )
}

function previewOf(edit: StepEdit) {
  const { step, channel, subject, body, sms } = edit
  const coupon = finished(couponOf(edit))
  if (channel === 'email') return { step, channel, subject, body, coupon }
  return { step, coupon, ...(channel !== 'push' && { channel }), ...(channel === 'sms' && { body: sms }) } as const
}

const isSame = (a: Shown, b: Shown) =>
  a.body === b.body && a.channel === b.channel && JSON.stringify(a.coupon) === JSON.stringify(b.coupon)

type Shown = ReturnType<typeof previewOf>
