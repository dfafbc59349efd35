import type { z } from 'zod'
import type { StepWords, saveFlow } from '../../shared/flows.ts'
import { couponOf, type FlowDraft, inText, type StepDraft, type VariantDraft } from './draft.ts'

// Builds the request of an edited flow. Untouched parts are omitted, so another member's changes to them survive. Pure.

type Saved = z.input<typeof saveFlow.body>

export function savedFlow(draft: FlowDraft, stored: FlowDraft): Saved {
  const { name, conditions, steps } = draft
  return {
    name: name.trim(),
    ...(inText(conditions) !== inText(stored.conditions) && { conditions }),
    seenSteps: stored.steps.flatMap(({ id }) => id ?? []),
    steps: steps.map((step) => savedStep(step, stored.steps.find(({ id }) => id !== null && id === step.id) ?? null)),
  }
}

function savedStep(step: StepDraft, stored: StepDraft | null): Saved['steps'][number] {
  const { id, delayMinutes, channels, conditions, variants } = step
  const coupon = couponOf(step)
  const isOther = (mine: unknown, theirs: unknown) => stored === null || inText(mine) !== inText(theirs)
  return {
    ...(id !== null && { id }),
    delayMinutes,
    ...(isOther(channels, stored?.channels) && { channels: [...channels] }),
    ...(isOther(conditions, stored?.conditions) && { conditions }),
    ...(isOther(coupon, stored?.coupon) && { coupon }),
    ...(isOther(variants, stored?.variants) && {
      variants: variants.map((variant) => savedVariant(variant, stored, channels)),
    }),
  }
}

function savedVariant(
  { id, sharePercent, words }: VariantDraft,
  stored: StepDraft | null,
  channels: StepDraft['channels'],
) {
  const before = stored?.variants.find((other) => other.id === id && id !== null)?.words
  return { ...(id !== null && { id }), sharePercent, words: savedWords(words, before, channels) }
}

/** A new variant sends content for its channels only; other channels may be empty. */
function savedWords(
  words: StepWords,
  before: StepWords | undefined,
  channels: StepDraft['channels'],
): Partial<StepWords> {
  const isSent = (channel: keyof StepWords) =>
    before ? inText(words[channel]) !== inText(before[channel]) : channels.includes(channel)
  return {
    ...(isSent('email') && { email: words.email }),
    ...(isSent('sms') && { sms: words.sms }),
    ...(isSent('push') && { push: words.push }),
  }
}
