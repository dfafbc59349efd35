import type { z } from 'zod'
import type { StepTexts, saveFlow } from '../../../shared/marketing/flows.ts'
import { isDesigned } from '../../../shared/messages/mail-document.ts'
import { type FlowDraft, type StepDraft, selectCoupon, serialize, type VariantDraft } from './draft.ts'

// Builds the request of an edited flow. Untouched parts are omitted, so another member's changes to them survive. Pure.

type SaveFlowBody = z.input<typeof saveFlow.body>
type SavedContent = NonNullable<SaveFlowBody['steps'][number]['variants']>[number]['words']

export function buildSaveBody(draft: FlowDraft, stored: FlowDraft): SaveFlowBody {
  const { name, conditions, steps } = draft
  return {
    name: name.trim(),
    ...(serialize(conditions) !== serialize(stored.conditions) && { conditions }),
    seenSteps: stored.steps.flatMap(({ id }) => id ?? []),
    steps: steps.map((step) => buildStep(step, stored.steps.find(({ id }) => id !== null && id === step.id) ?? null)),
  }
}

function buildStep(step: StepDraft, stored: StepDraft | null): SaveFlowBody['steps'][number] {
  const { id, delayMinutes, channels, conditions, variants } = step
  const coupon = selectCoupon(step)
  const isOther = (mine: unknown, theirs: unknown) => stored === null || serialize(mine) !== serialize(theirs)
  return {
    ...(id !== null && { id }),
    delayMinutes,
    ...(isOther(channels, stored?.channels) && { channels: [...channels] }),
    ...(isOther(conditions, stored?.conditions) && { conditions }),
    ...(isOther(coupon, stored?.coupon) && { coupon }),
    ...(isOther(variants, stored?.variants) && {
      variants: variants.map((variant) => buildVariant(variant, stored, channels)),
    }),
  }
}

function buildVariant(
  { id, sharePercent, words }: VariantDraft,
  stored: StepDraft | null,
  channels: StepDraft['channels'],
) {
  const before = stored?.variants.find((other) => other.id === id && id !== null)?.words
  return { ...(id !== null && { id }), sharePercent, words: buildContent(words, before, channels) }
}

/** A new variant sends content for its channels only; other channels may be empty. */
function buildContent(texts: StepTexts, before: StepTexts | undefined, channels: StepDraft['channels']): SavedContent {
  const isSent = (channel: keyof StepTexts) =>
    before ? serialize(texts[channel]) !== serialize(before[channel]) : channels.includes(channel)
  return {
    ...(isSent('email') && { email: buildEmail(texts.email, before?.email) }),
    ...(isSent('sms') && { sms: texts.sms }),
    ...(isSent('push') && { push: texts.push }),
  }
}

/** A design goes alone: the server derives its text. The text as blocks is no design of its own. */
function buildEmail({ subject, body, design }: StepTexts['email'], before: StepTexts['email'] | undefined) {
  const isEdited = isDesigned(design) && serialize(design) !== serialize(before?.design)
  if (isEdited) return { design }
  return { subject, body, ...(isDesigned(before?.design) && !design && { design: null }) }
}
