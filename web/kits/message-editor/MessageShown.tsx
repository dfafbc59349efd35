import { Card, Group, Image, SegmentedControl, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { reasonTexts } from '../../../shared/delivery/reasons.ts'
import type { MessagePreview } from '../../../shared/delivery/reminders.ts'
import { MailFrame } from '../../core/ui/MailFrame.tsx'
import { hasDarkColors, type MailColors } from '../../core/ui/mail.ts'
import { Notice, type Tone } from '../../core/ui/Notice.tsx'
import { describeLength } from '../manual-sends/sending.ts'

const PHONE_WIDTH = 360

type DecisionTexts = Record<NonNullable<MessagePreview['decision']>['outcome'], { tone: Tone; text: string }>

interface Props {
  message: MessagePreview
  channel: string
  /** The preview does not include the latest edits yet. */
  isStale: boolean
  /** Notes on a real cart. Omitted if they are shown elsewhere. */
  decisionTexts?: DecisionTexts | undefined
  /** Conditions that do not match, if the decision has any. */
  unmet?: ReactNode
  height?: number
  children?: ReactNode
}

/** A message as the sending code renders it, with its recipient and problems. */
export function MessageShown({ message, channel, isStale, decisionTexts, unmet, height, children }: Props) {
  const { html, text, segments, price, problem, couponNote, couponWarning } = message
  return (
    <Stack gap="sm" aria-busy={isStale} style={{ opacity: isStale ? 0.6 : 1, transition: 'opacity 150ms' }}>
      <DecisionLine message={message} decisionTexts={decisionTexts} unmet={unmet} />
      {problem && (
        <Notice tone="bad" title="The text has an error" isLive>
          {problem}
        </Notice>
      )}
      {couponNote && !isSaidAbove(message, decisionTexts) && <Notice tone="info">{couponNote}</Notice>}
      {couponWarning && (
        <Notice tone="warn" isLive>
          {couponWarning}
        </Notice>
      )}
      {channel === 'push' ? (
        <Notification message={message} />
      ) : html ? (
        <Mail message={message} height={height} />
      ) : (
        text && <pre className="snippet">{text}</pre>
      )}
      {segments !== null && (
        <Text fz="sm" c="dimmed" className="tabular">
          {describeLength(channel, segments, price)}
        </Text>
      )}
      {children}
    </Stack>
  )
}

/** A message that requires its coupon. */
const isSaidAbove = ({ decision }: MessagePreview, texts: DecisionTexts | undefined) =>
  texts !== undefined && decision?.outcome === 'skip' && decision.reason.startsWith('coupon_')

function DecisionLine({
  message: { decision },
  decisionTexts,
  unmet,
}: Pick<Props, 'message' | 'decisionTexts' | 'unmet'>) {
  if (!decision) {
    return (
      <Notice tone="info" title="Sample cart">
        For preview only. Links don’t work.
      </Notice>
    )
  }
  if (!decisionTexts) return null
  const { tone, text } = decisionTexts[decision.outcome]
  // Nothing has been sent yet.
  return (
    <Notice tone={tone} title={text} isLive>
      {decision.explanation.replace(reasonTexts.ok!, 'Every check has passed.')}
      {decision.unmet && unmet}
    </Notice>
  )
}

/** Approximates a browser notification: each system draws it differently. */
function Notification({ message: { subject, text, picture } }: Pick<Props, 'message'>) {
  if (subject === '' && text === '') return null
  return (
    <Card withBorder maw={PHONE_WIDTH} component="figure" m={0} aria-label="Notification">
      <Stack gap="xs">
        <Text fw={620}>{subject}</Text>
        <Text fz="sm" style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </Text>
        {picture && <Image src={picture} alt="" radius="sm" mah={160} fit="cover" />}
      </Stack>
    </Card>
  )
}

function Mail({ message: { subject, html, text }, height }: { message: MessagePreview; height: number | undefined }) {
  const [view, setView] = useState('desktop')
  const [colors, setColors] = useState<MailColors>('light')
  const hasColors = view !== 'text' && hasDarkColors(html)
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text className="subject" style={{ flex: '1 1 200px' }}>
          {subject}
        </Text>
        <Group gap="xs">
          {hasColors && (
            <SegmentedControl
              size="xs"
              aria-label="Colors"
              value={colors}
              onChange={(value) => setColors(value as MailColors)}
              data={[
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label="Show as"
            value={view}
            onChange={setView}
            data={[
              { value: 'desktop', label: 'Desktop' },
              { value: 'phone', label: 'Phone' },
              { value: 'text', label: 'Plain text' },
            ]}
          />
        </Group>
      </Group>
      {view === 'text' ? (
        <pre className="snippet">{text}</pre>
      ) : (
        <MailFrame
          html={html}
          title="Email preview"
          colors={hasColors ? colors : 'light'}
          {...(height && { height })}
          {...(view === 'phone' && { width: PHONE_WIDTH })}
        />
      )}
    </>
  )
}
