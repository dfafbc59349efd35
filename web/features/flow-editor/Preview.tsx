import { useDebouncedValue } from '@mantine/hooks'
import type { FlowChannel } from '../../../shared/carts/flow-conditions.ts'
import { isDesigned, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { usePreview } from '../../kits/flows/queries.ts'
import { Unmet } from '../../kits/flows/Unmet.tsx'
import { findMailProblems } from '../../kits/mail-editor/problems.ts'
import { CartPicker } from '../../kits/message-editor/CartPicker.tsx'
import { usePreviewCart } from '../../kits/message-editor/queries.ts'
import { messageOf, NOTHING_YET, TYPING_PAUSE_MS } from '../../kits/message-editor/rules.ts'
import { finished } from '../../kits/message-editor/step-coupon.ts'
import { WordsPreview } from '../../kits/message-editor/WordsPreview.tsx'
import { type FlowDraft, getContent, type StepDraft, selectCoupon, type VariantDraft } from './draft.ts'
import { isUnfinished } from './problems.ts'

const decisionTexts = {
  send: { tone: 'good', text: 'This would be sent now.' },
  hold: { tone: 'warn', text: 'This would be held for now.' },
  skip: { tone: 'quiet', text: 'This would not be sent.' },
} as const

export interface PreviewSubject {
  flowId: string
  step: StepDraft
  /** The flow's entry conditions. */
  entry: FlowDraft['conditions']
  variant: VariantDraft
  channel: FlowChannel
}

/** The cart chosen for all previews, and its setter. */
export type ChosenCart = readonly [string | null, (cartId: string) => void]

/** Preview by the sending code, for an eligible cart or the sample cart, including unsaved edits. */
export function useRenderedPreview({ flowId, step, entry, variant, channel }: PreviewSubject, chosen: string | null) {
  const first = usePreviewCart(channel)
  const cartId = chosen ?? first
  const typed = findMessage(variant, channel)
  const current =
    typed &&
    JSON.stringify({
      ...typed,
      channel,
      coupon: finished(selectCoupon(step)),
      ...findPlace(step, variant),
      ...findEntry(entry),
    })
  const [debounced] = useDebouncedValue(current, TYPING_PAUSE_MS)
  const of = cartId && debounced ? { ...(JSON.parse(debounced) as PreviewRequest), cartId } : null
  const preview = usePreview(flowId, typed === null || isLater({ step, channel }) ? null : of)
  return { cartId, typed, of, preview, isStale: preview.isPlaceholderData || debounced !== current }
}

function findMessage({ words }: VariantDraft, channel: FlowChannel) {
  const { design } = words.email
  if (channel !== 'email' || !isDesigned(design)) return messageOf(channel, getContent(words, channel))
  return findMailProblems(design).length > 0 ? null : { design }
}

/** For WhatsApp the server finds the approved template by the step. */
export const isLater = ({ step, channel }: Pick<PreviewSubject, 'step' | 'channel'>) =>
  step.id === null && channel === 'whatsapp'

interface PreviewRequest {
  channel: FlowChannel
  subject?: string
  body?: string
  design?: MailDocument
  coupon: StepDraft['coupon']
  stepId?: string
  variantId?: string
  conditions?: StepDraft['conditions']
  entry?: FlowDraft['conditions']
}

const findPlace = ({ id, conditions }: StepDraft, variant: VariantDraft) => ({
  ...(id !== null && { stepId: id }),
  ...(id !== null && variant.id !== null && { variantId: variant.id }),
  ...(!isUnfinished(conditions) && { conditions }),
})

const findEntry = (entry: FlowDraft['conditions']) => (isUnfinished(entry) ? {} : { entry })

interface Props extends PreviewSubject {
  cart: ChosenCart
  onBody: (body: string) => void
}

export function Preview({ cart: [chosen, choose], onBody, ...subject }: Props) {
  const { channel } = subject
  const { cartId, typed, of, preview, isStale } = useRenderedPreview(subject, chosen)
  const unmet = preview.data?.decision?.unmet
  const tested = of && { cartId: of.cartId, channel, coupon: of.coupon, ...typed }
  return (
    <WordsPreview
      channel={channel}
      made={preview}
      isStale={isStale}
      decisionTexts={decisionTexts}
      unmet={unmet && <Unmet inputs={unmet} of={unmet.of} />}
      nothing={typed === null ? NOTHING_YET : isLater(subject) ? 'The preview appears once the flow is saved.' : null}
      of={tested}
      {...(channel === 'sms' && { onBody })}
    >
      <CartPicker value={cartId} onChange={choose} />
    </WordsPreview>
  )
}
