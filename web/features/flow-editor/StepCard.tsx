import { Button, Card, Group, Text } from '@mantine/core'
import { IconCopy, IconGripVertical, IconTrash } from '@tabler/icons-react'
import type { HTMLAttributes, Ref } from 'react'
import { type ConditionNames, describeConditions } from '../../../shared/carts/flow-conditions.ts'
import { isDesigned } from '../../../shared/messages/mail-document.ts'
import { useNow } from '../../core/ui/clock.ts'
import { formatCount, formatNames } from '../../core/ui/format.ts'
import { type Outcome, StationSign } from '../../core/ui/Thread.tsx'
import { formatSinceAbandonment, formatSincePrevious } from '../../kits/flows/elapsed.ts'
import { MessagePicture, PictureFrame, TextBubble } from '../../kits/flows/MessagePicture.tsx'
import { channelNames, formatVariables } from '../../kits/flows/rules.ts'
import { readSubject } from '../../kits/mail-editor/documents.ts'
import { tabNote } from '../../kits/message-editor/step-coupon.ts'
import { channelText } from './ChannelOrder.tsx'
import {
  buildPreviewText,
  describeEqualVariants,
  type FlowDraft,
  findEqualVariants,
  getContent,
  getVariantLetter,
  type StepDraft,
  selectCoupon,
} from './draft.ts'
import { type PreviewSubject, useRenderedPreview } from './Preview.tsx'
import { isUnfinished } from './problems.ts'

interface Props {
  flowId: string
  step: StepDraft
  /** Of its station on the thread. */
  outcome: Outcome
  /** The flow's entry conditions. */
  entry: FlowDraft['conditions']
  /** Starts at 1. */
  place: number
  before: StepDraft | undefined
  cart: string | null
  approved: string | null
  names: ConditionNames
  isOpen: boolean
  isWrong: boolean
  isReadOnly: boolean
  /** The maximum number of messages is reached. */
  isFull: boolean
  /** Figures of the report's period. */
  figures: { sent: number; orders: number } | null
  item: HTMLAttributes<HTMLElement> & { ref: Ref<HTMLLIElement> }
  handle: HTMLAttributes<HTMLElement> & { ref: Ref<HTMLButtonElement> }
  onOpen: () => void
  onCopy: () => void
  onRemove: () => void
}

const MINUTE_MS = 60_000

/** A message on the timeline: its time, preview and channels. */
export function StepCard(props: Props) {
  const { flowId, step, outcome, entry, place, before, cart, approved, isOpen, isReadOnly, item, handle, onOpen } =
    props
  const title = `message ${place}, ${step.name}`
  const later = before && formatSincePrevious(step.delayMinutes, before.delayMinutes, place - 1)
  return (
    <li className="flow-step" data-outcome={outcome} data-passed={outcome === 'done' || undefined} {...item}>
      <StationSign outcome={outcome} />
      <p className="flow-time">
        {formatSinceAbandonment(step.delayMinutes)}
        {later && <span>({later})</span>}
      </p>
      <Card padding="sm" className="step-card" {...(isOpen && { 'data-open': true })}>
        <div className="step-head">
          {!isReadOnly && (
            <button
              type="button"
              className="drag-handle"
              aria-label={`Move ${title}`}
              aria-describedby="reorder-hint"
              {...handle}
            >
              <IconGripVertical size={16} aria-hidden />
            </button>
          )}
          <h3 className="step-title">
            {place}. {step.name}
          </h3>
          {!isReadOnly && <Tools {...props} title={title} />}
        </div>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: a larger target of the button below */}
        <div className="step-body" onClick={onOpen}>
          <StepPicture
            flowId={flowId}
            step={step}
            entry={entry}
            variant={step.variants[0]!}
            channel={step.channels[0]!}
            approved={approved}
            cart={cart}
          />
          <Summary {...props} title={title} />
        </div>
      </Card>
    </li>
  )
}

function Tools({ title, isFull, onCopy, onRemove }: Props & { title: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Button variant="subtle" size="compact-sm" aria-label={`Copy ${title}`} disabled={isFull} onClick={onCopy}>
        <IconCopy size={16} aria-hidden />
      </Button>
      <Button variant="subtle" size="compact-sm" aria-label={`Remove ${title}`} onClick={onRemove}>
        <IconTrash size={16} aria-hidden />
      </Button>
    </Group>
  )
}

function Summary({ step, names, figures, isOpen, isWrong, isReadOnly, title, onOpen }: Props & { title: string }) {
  const now = useNow(MINUTE_MS)
  const coupon = selectCoupon(step) && tabNote(step, now)
  const { conditions, variants } = step
  const alike = findEqualVariants(step)
  return (
    <div className="step-summary">
      <Content step={step} />
      <Text fz="xs" c="dimmed">
        {formatChannels(step.channels)}
      </Text>
      {coupon && (
        <Text fz="xs" c="dimmed">
          Coupon {coupon}
        </Text>
      )}
      {conditions && !isUnfinished(conditions) && (
        <Text fz="xs" c="dimmed">
          Only if {describeConditions(conditions, names)}
        </Text>
      )}
      {variants.length > 1 && (
        <Text fz="xs" c="dimmed">
          A/B test:{' '}
          {variants
            .map(
              ({ key, sharePercent }) =>
                `${getVariantLetter(step, key)} ${Number.isNaN(sharePercent) ? '–' : sharePercent}%`,
            )
            .join(', ')}
        </Text>
      )}
      {alike && (
        <Text fz="xs" c="var(--rc-warn)" fw={550}>
          {describeEqualVariants(alike)}
        </Text>
      )}
      {figures && figures.sent > 0 && (
        <Text fz="xs" c="dimmed" className="tabular">
          {formatCount(figures.sent)} sent, {formatCount(figures.orders)} {figures.orders === 1 ? 'order' : 'orders'} in
          30 days
        </Text>
      )}
      {isWrong && (
        <Text fz="xs" c="var(--rc-bad)" fw={550}>
          Fix the marked fields
        </Text>
      )}
      <Button
        variant={isOpen ? 'light' : 'default'}
        size="compact-sm"
        mt={4}
        w="fit-content"
        aria-label={`${isReadOnly ? 'Show' : 'Edit'} ${title}`}
        aria-expanded={isOpen}
        onClick={(event) => {
          event.stopPropagation()
          onOpen()
        }}
      >
        {isReadOnly ? 'Show' : 'Edit'}
      </Button>
    </div>
  )
}

/** What a shopper reads first: the subject or title, and the beginning of the text. */
function Content({ step: { channels, variants } }: Pick<Props, 'step'>) {
  const channel = channels[0]!
  if (channel === 'whatsapp') return null
  const { words } = variants[0]!
  const isDesign = channel === 'email' && isDesigned(words.email.design)
  const { subject, body } = isDesign
    ? { subject: readSubject(words.email.design!), body: '' }
    : getContent(words, channel)
  return (
    <>
      {channel !== 'sms' && (
        <Text fz="sm" fw={600} lineClamp={2}>
          {formatVariables(subject)}
        </Text>
      )}
      <Text fz="sm" c="dimmed" lineClamp={3}>
        {buildPreviewText(body)}
      </Text>
    </>
  )
}

/** "Email, else by SMS or push". */
function formatChannels([first, ...others]: StepDraft['channels']): string {
  const name = channelNames[first!]
  if (others.length === 0) return name
  return `${name}, else by ${others.length === 1 ? channelText[others[0]!] : formatNames(others.map((each) => channelText[each])).replace(' and ', ' or ')}`
}

function StepPicture({
  approved,
  cart,
  ...subject
}: PreviewSubject & { approved: string | null; cart: string | null }) {
  return (
    <PictureFrame>
      {() =>
        subject.channel === 'whatsapp' ? <TextBubble text={approved ?? ''} /> : <Picture {...subject} cart={cart} />
      }
    </PictureFrame>
  )
}

function Picture({ cart, ...subject }: PreviewSubject & { cart: string | null }) {
  const { preview } = useRenderedPreview(subject, cart)
  return <MessagePicture channel={subject.channel} message={preview.data} hasFailed={preview.error !== null} />
}
