import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconMailSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { lengthText } from '../carts/sending.ts'
import { Empty } from '../ui/Empty.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingMail } from '../ui/Loading.tsx'
import { MailFrame } from '../ui/MailFrame.tsx'
import { Notice, type Tone } from '../ui/Notice.tsx'
import { CartPicker } from './CartPicker.tsx'
import { usePreview } from './queries.ts'
import type { StepEdit } from './rules.ts'

const TYPING_PAUSE_MS = 500
const PHONE_WIDTH = 360

/** The message as the sending code renders it for one real cart, unsaved text included. */
export function Preview({ flowId, step }: { flowId: string; step: StepEdit }) {
  const [cartId, setCartId] = useState<string | null>(null)
  const shown = previewOf(step)
  const [text] = useDebouncedValue(shown, TYPING_PAUSE_MS)
  const isTyped = text.subject?.trim() !== '' && text.body?.trim() !== ''
  const preview = usePreview(flowId, cartId && isTyped ? { ...text, cartId } : null)
  return (
    <Stack gap="md">
      <Title order={3}>Preview</Title>
      <CartPicker value={cartId} onChange={setCartId} />
      {cartId === null ? (
        <Empty
          icon={IconMailSearch}
          text="The preview shows a real cart. Choose one, or wait until a first one is left."
        />
      ) : preview.data ? (
        <Rendered
          channel={text.channel ?? step.channel}
          mail={preview.data}
          isStale={preview.isPlaceholderData || text.body !== shown.body || text.channel !== shown.channel}
        />
      ) : preview.error ? (
        <Failed title="The preview could not be made" error={preview.error} onRetry={() => preview.refetch()} />
      ) : (
        <LoadingMail />
      )}
    </Stack>
  )
}

function previewOf({ step, channel, subject, body, sms }: StepEdit) {
  if (channel === 'email') return { step, channel, subject, body }
  return { step, ...(channel !== 'push' && { channel }), ...(channel === 'sms' && { body: sms }) } as const
}

type Mail = NonNullable<ReturnType<typeof usePreview>['data']>

const verdicts: Record<Mail['decision']['outcome'], { tone: Tone; text: string }> = {
  send: { tone: 'good', text: 'This would be sent now.' },
  hold: { tone: 'warn', text: 'This would be held back for now.' },
  skip: { tone: 'quiet', text: 'This would not be sent.' },
}

function Rendered({ mail, isStale, channel }: { mail: Mail; isStale: boolean; channel: StepEdit['channel'] }) {
  const verdict = verdicts[mail.decision.outcome]
  return (
    <Stack gap="md" aria-busy={isStale} style={{ opacity: isStale ? 0.6 : 1, transition: 'opacity 150ms' }}>
      <Notice tone={verdict.tone} title={verdict.text} isLive>
        {mail.decision.explanation}
      </Notice>
      {mail.problem && (
        <Notice tone="bad" title="The text has a mistake" isLive>
          {mail.problem}
        </Notice>
      )}
      {mail.html === '' ? <Short text={mail} channel={channel} /> : <Long mail={mail} />}
    </Stack>
  )
}

function Short({ text: { text, segments, price }, channel }: { text: Mail; channel: StepEdit['channel'] }) {
  if (text === '') return null
  return (
    <>
      <pre className="snippet">{text}</pre>
      {segments !== null && (
        <Text fz="sm" c="dimmed" className="tabular">
          {lengthText(channel, segments, price)}
        </Text>
      )}
    </>
  )
}

function Long({ mail }: { mail: Mail }) {
  const [view, setView] = useState('desktop')
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text className="subject" style={{ flex: '1 1 200px' }}>
          {mail.subject}
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Show as"
          value={view}
          onChange={setView}
          data={[
            { value: 'desktop', label: 'Desktop' },
            { value: 'phone', label: 'Phone' },
            { value: 'text', label: 'Text' },
          ]}
        />
      </Group>
      {view === 'text' ? (
        <pre className="snippet">{mail.text}</pre>
      ) : (
        <MailFrame html={mail.html} title="Preview of the mail" {...(view === 'phone' && { width: PHONE_WIDTH })} />
      )}
    </>
  )
}
