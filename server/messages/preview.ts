import { explain } from '../../shared/reasons.ts'
import { type Db, type StoreDb, snapshot } from '../db.ts'
import type { Deps } from '../deps.ts'
import { found } from '../errors.ts'
import { newId } from '../ids.ts'
import { TemplateError } from '../templates/context.ts'
import { composeEmail } from './compose.ts'
import { judgePreview } from './judge.ts'
import * as load from './judge-sql.ts'

// One step for one real cart, by the code that sends. Nothing is written; the links lead nowhere.

export interface PreviewRequest {
  step: number
  cartId: string
  subject?: string | undefined
  body?: string | undefined
}

export async function previewStep(deps: Deps, store: StoreDb<Db>, flowId: string, wanted: PreviewRequest) {
  const id = newId()
  return snapshot(store, async (tx) => {
    const now = deps.now()
    const loaded = found(await load.loadPreview(tx, { ...wanted, flowId, id, now }), 'Cart or step')
    const row = {
      ...loaded,
      template_version: wanted.subject === undefined && wanted.body === undefined ? loaded.template_version : null,
      template_subject: wanted.subject ?? loaded.template_subject,
      template_body: wanted.body ?? loaded.template_body,
    }
    const { situation, decision } = await judgePreview(deps, tx, row)
    const rendered = renderPreview(deps, row, situation)
    return {
      ...rendered,
      decision: {
        outcome: decision.outcome === 'cancel' ? ('skip' as const) : decision.outcome,
        reason: decision.reason,
        explanation: explain(decision.reason),
      },
    }
  })
}

function renderPreview(deps: Deps, row: load.ClaimedRow, situation: load.Situation) {
  try {
    const composed = composeEmail({
      messageId: row.id,
      cart: { items: row.items, valueMinor: row.value_minor, currency: row.currency, firstName: row.first_name },
      // Unsaved text must not stay in the cache of compiled templates under a real version.
      template: { id: row.id, version: 0, subject: row.template_subject!, body: row.template_body! },
      store: {
        name: situation.name,
        url: situation.url,
        homeUrl: situation.home_url,
        senderName: situation.sender_name || '(sender name missing)',
        postalAddress: situation.postal_address || '(postal address missing)',
      },
      publicUrl: deps.config.publicUrl,
      secrets: deps.secrets,
    })
    return { subject: composed.subject, html: composed.html, text: composed.text, problem: null }
  } catch (error) {
    if (error instanceof TemplateError) return { subject: '', html: '', text: '', problem: error.message }
    throw error
  }
}
