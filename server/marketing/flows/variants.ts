import type { FlowChannel } from '../../../shared/carts/flow-conditions.ts'
import { getVariantName } from '../../../shared/marketing/flows.ts'
import type { StoreDb } from '../../core/db/public.ts'
import { type EmailContent, getReadyEmail, listDefaultTexts, READY_TEXTS } from '../../messages/templates/public.ts'
import type { Step } from './sql.ts'
import * as sql from './variants-sql.ts'

// Step variants and their text, by channel. A step that was never split has one variant, with the step's id.

/** Only an email has a document. */
export type Text = EmailContent

export interface StoredText extends Text {
  templateId: string
  /** false: the text is the step's template, without a row of its own. */
  isRow: boolean
}

export interface StoredVariant {
  id: string
  name: string
  sharePercent: number
  /** How many variants the step has had. */
  soFar: number
  /** The stored text; other channels start with the default text. */
  words: ReadonlyMap<FlowChannel, StoredText>
}

export async function loadVariants(store: StoreDb, steps: readonly Step[]): Promise<Map<string, StoredVariant[]>> {
  const flowIds = [...new Set(steps.map(({ flow_id }) => flow_id))]
  if (flowIds.length === 0) return new Map()
  const variants = Map.groupBy(await sql.listVariants(store, flowIds), ({ step_id }) => step_id)
  const texts = Map.groupBy(
    await sql.listVariantTexts(store, flowIds),
    ({ variant_id, step_id }) => `${step_id} ${variant_id}`,
  )
  return new Map(
    steps.map((step) => {
      const known = variants.get(step.id) ?? [{ id: step.id, share_percent: 100, nth: 0, so_far: 1 }]
      return [
        step.id,
        known.map(({ id, share_percent: sharePercent, nth, so_far: soFar }) => ({
          id,
          name: getVariantName(nth),
          sharePercent,
          soFar,
          words: storedTexts(step, id, texts.get(`${step.id} ${id}`) ?? []),
        })),
      ]
    }),
  )
}

/** A, B, C … by the ids of all variants that the steps have or had; none for a step that was never split. */
export async function nameVariants(store: StoreDb, stepIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (stepIds.length === 0) return new Map()
  const rows = await sql.readVariantOrder(store, stepIds)
  return new Map(rows.map(({ id, nth }) => [id, getVariantName(nth)]))
}

function storedTexts(step: Step, variantId: string, rows: readonly sql.TextRow[]): StoredVariant['words'] {
  const { template_id: ownId, subject: ownSubject, body: ownBody, design: ownDesign } = step
  const own = { templateId: ownId, subject: ownSubject, body: ownBody, design: ownDesign, isRow: false }
  const first = variantId === step.id ? [[step.channel, own] as const] : []
  return new Map([
    ...first,
    ...rows.map(
      ({ channel, template_id: templateId, subject, body, design }) =>
        [channel, { templateId, subject, body, design, isRow: true }] as const,
    ),
  ])
}

/** By channel. `locale`: of the store. */
export function getDefaultText(channel: FlowChannel, locale: string | null): Text {
  if (channel === 'email') return getReadyEmail('first_reminder', locale)
  const { sms, push } = listDefaultTexts(locale)
  if (channel === 'push') return { subject: push.title, body: push.body, design: null }
  // WhatsApp's approved template has the sent text.
  return { subject: '', body: channel === 'sms' ? sms : READY_TEXTS.whatsapp, design: null }
}
