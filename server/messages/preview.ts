import { explain } from '../../shared/reasons.ts'
import type { SendChannel } from '../../shared/reminders.ts'
import { type Db, type StoreDb, type StoreTx, snapshot } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import { newId } from '../ids.ts'
import { TemplateError } from '../templates/context.ts'
import { READY_EMAIL, READY_TEXTS } from '../templates/ready-templates.ts'
import { textsFor } from './deliver.ts'
import { type AnyComposed, compose, isText, judgeImagined } from './judge.ts'
import type { Context, Texts } from './judge-inputs.ts'
import * as load from './judge-sql.ts'

// A message for one real cart, by the code that sends. Nothing is written; the links lead nowhere.

export interface OwnWords {
  subject?: string | undefined
  body?: string | undefined
}

export async function previewStep(
  deps: Deps,
  store: StoreDb<Db>,
  flowId: string,
  wanted: OwnWords & { step: number; cartId: string; channel?: SendChannel | undefined },
) {
  const texts = await textsFor(deps, store, ['sms', 'whatsapp'])
  return snapshot(store, async (tx) => {
    const imagined = await judgeImagined(deps, tx, texts, async (base) => {
      const row = await load.loadPreview(tx, { ...wanted, flowId, id: newId(), ...base })
      // WhatsApp has no words of an owner's; those of another channel are not its own.
      const body = wanted.channel === 'whatsapp' ? READY_TEXTS.whatsapp : wanted.body
      return row ? [withOwnWords(row, { ...wanted, body })] : []
    })
    return presentPreview(imagined, 'Cart or step')
  })
}

export interface MessageRequest extends OwnWords {
  cartId: string
  channel: SendChannel
  templateId?: string | undefined
}

export async function previewMessage(deps: Deps, store: StoreDb<Db>, wanted: MessageRequest) {
  const texts = await textsFor(deps, store, [wanted.channel])
  return snapshot(store, async (tx) => presentPreview(await imagine(deps, tx, texts, wanted), 'Cart'))
}

/** The message by hand that this request would become. */
export async function imagine(deps: Deps, tx: StoreTx, texts: Texts, wanted: MessageRequest) {
  const templateId = await templateFor(tx, wanted)
  return judgeImagined(deps, tx, texts, async (base) => {
    const rows = await load.loadImagined(tx, { cartIds: [wanted.cartId], channel: wanted.channel, templateId, ...base })
    return rows.map((row) => withOwnWords(row, wanted))
  })
}

/** The template a mail by hand starts from when none is named; texts have words of their own. */
export async function templateFor(
  tx: StoreDb,
  { channel, templateId }: Pick<MessageRequest, 'channel' | 'templateId'>,
  key = 'first_reminder',
): Promise<string | null> {
  if (templateId) {
    if (!(await load.hasTemplate(tx, templateId))) throw new AppError('not_found', 'Template not found')
    return templateId
  }
  return channel === 'email' ? ((await load.templateByKey(tx, key))?.id ?? null) : null
}

/** Unsaved text must not stay in the cache of compiled templates under a real version. */
export function withOwnWords(row: load.ClaimedRow, { subject, body }: OwnWords): load.ClaimedRow {
  const isStored = subject === undefined && body === undefined && row.template_body !== null
  const ready = row.channel === 'email' ? READY_EMAIL : { subject: null, body: null }
  return {
    ...row,
    template_version: isStored ? row.template_version : 0,
    template_subject: subject ?? row.template_subject ?? ready.subject,
    template_body: body ?? row.template_body ?? ready.body,
  }
}

type Imagined = Awaited<ReturnType<typeof judgeImagined>>

function presentPreview({ context, rows }: Imagined, what: string) {
  const { row, decision } = found(rows[0], what)
  return {
    ...renderPreview(context, row),
    words: wordsOf(row),
    decision: {
      outcome: decision.outcome === 'cancel' ? ('skip' as const) : decision.outcome,
      reason: decision.reason,
      explanation: explain(decision.reason, row.channel),
      until: decision.outcome === 'hold' ? decision.until.toISOString() : null,
    },
  }
}

function wordsOf(row: load.ClaimedRow): { subject: string; body: string } | null {
  if (row.channel === 'whatsapp') return null
  const ready = row.channel === 'sms' ? READY_TEXTS.sms : ''
  return { subject: row.template_subject ?? '', body: row.template_body ?? ready }
}

/** Rendered whatever was decided: what is missing of the sender stands where it would. */
function renderPreview(context: Context, row: load.ClaimedRow) {
  const { situation } = context
  const shown = {
    ...context,
    situation: {
      ...situation,
      sender_name: situation.sender_name || '(sender name missing)',
      postal_address: situation.postal_address || '(postal address missing)',
    },
  }
  const nothing = { subject: '', html: '', text: '', segments: null, price: null }
  try {
    return { ...presentComposed(compose(shown, row)), problem: null }
  } catch (error) {
    if (error instanceof TemplateError) return { ...nothing, problem: error.message }
    throw error
  }
}

function presentComposed(composed: AnyComposed) {
  if (!isText(composed)) {
    const { subject, html, text } = composed
    return { subject, html, text, segments: null, price: null }
  }
  const { text, segments, cost } = composed
  return { subject: '', html: '', text, segments, price: priceOf(cost) }
}

/** Millionths as the decimal number of the wire (decision 21). */
export const priceOf = ({ amountMicros, currency }: { amountMicros: number; currency: string }) => ({
  amount: amountMicros / 1_000_000,
  currency,
})
