import { type StoreDb, type StoreTx, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import { newId } from '../ids.ts'
import { templateRenderer } from '../messages/compose.ts'
import {
  retimeEditedMessages,
  scheduleFlowMessages,
  scheduleNextLook,
  wakeStoreMessages,
} from '../messages/messages.ts'
import { randomToken } from '../secrets.ts'
import { readStore } from '../stores/sql.ts'
import { CAMPAIGN_TEMPLATES } from '../templates/ready-templates.ts'
import * as sql from './sql.ts'

// Flows: always on once switched on. A flow takes carts whose last activity is after it was switched on; its steps are
// timed from the shopper's last activity. off ⇄ on; rows planned stay planned while it is off, and are held.

const READY_STEPS = [
  { key: 'first_reminder', delayMinutes: 60, demoMinutes: 1 },
  { key: 'second_reminder', delayMinutes: 24 * 60, demoMinutes: 3 },
  { key: 'last_reminder', delayMinutes: 72 * 60, demoMinutes: 5 },
] as const

/** Every new store gets it, switched off. The demo runs at demo speed (decision 29). */
export async function createReadyFlow(tx: StoreTx, now: Date, isDemo = false): Promise<void> {
  if (await sql.hasFlow(tx)) return
  const templates = CAMPAIGN_TEMPLATES.filter((template) => template.id !== 'custom').map((template) => ({
    id: newId(),
    key: template.id,
    name: template.name,
    subject: template.subject,
    body: template.body,
  }))
  await sql.insertTemplates(tx, templates, now)
  const steps = READY_STEPS.map((step, index) => ({
    step: index + 1,
    delayMinutes: isDemo ? step.demoMinutes : step.delayMinutes,
    templateId: templates.find((template) => template.key === step.key)!.id,
  }))
  await sql.insertFlow(tx, { id: newId(), name: 'Abandoned cart reminders', salt: randomToken(), now }, steps)
}

/** 1 minute in local mode and in the demo, 15 minutes elsewhere. */
export const minDelayMinutes = (deps: Deps, store: { is_demo: boolean }): number =>
  deps.config.isLocal || store.is_demo ? 1 : 15

/** After the store's abandonment timeout changed: what counts for its carts (S1) follows in the same commit. */
export async function refreshTimeout(tx: StoreTx): Promise<void> {
  await sql.refreshEffectiveTimeout(tx)
}

export interface FlowSwitch {
  isOn: boolean
  holdoutPercent: number
  includeLast24h: boolean
}

export async function switchFlow(deps: Deps, store: StoreDb, flowId: string, wanted: FlowSwitch): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    const flow = found(await sql.lockFlow(tx, flowId), 'Flow')
    if (wanted.isOn) await demandSender(tx)
    const takesFrom = wanted.isOn ? startOf(flow, wanted, now) : flow.takes_from
    await sql.switchFlow(tx, flowId, {
      is_on: wanted.isOn,
      switched_on_at: wanted.isOn ? (flow.is_on ? flow.switched_on_at : now) : flow.switched_on_at,
      takes_from: takesFrom,
      holdout_bps: wanted.isOn ? Math.round(wanted.holdoutPercent * 100) : flow.holdout_bps,
      updated_at: now,
    })
    await sql.refreshEffectiveTimeout(tx)
    if (!wanted.isOn) return
    await scheduleFlowMessages(tx, await sql.abandonedSince(tx, takesFrom!), now)
    await wakeStoreMessages(tx, ['flow_off', 'sender_missing'], now)
    await scheduleNextLook(tx)
  })
}

/** From now on, or the last 24 hours too. Rows planned before it was switched off go on as rows (D5). */
function startOf(flow: { is_on: boolean; takes_from: Date | null }, wanted: FlowSwitch, now: Date): Date {
  if (flow.is_on && flow.takes_from) return flow.takes_from
  return wanted.includeLast24h ? new Date(now.getTime() - 86_400_000) : now
}

async function demandSender(tx: StoreTx): Promise<void> {
  const store = found(await readStore(tx), 'Store')
  const missing = missingForSending(store)
  if (missing.length > 0) throw new AppError('unprocessable', missing.join(' '))
}

/** C7: marketing mail carries the sender's name and postal address. */
export function missingForSending(store: { sender_name: string; postal_address: string }): string[] {
  return [
    ...(store.sender_name ? [] : ['Enter the sender name shown in your mails.']),
    ...(store.postal_address ? [] : ['Enter your postal address: the law asks for it in marketing mail.']),
  ]
}

export interface FlowEdit {
  name: string
  steps: readonly { step: number; delayMinutes: number; subject: string; body: string }[]
}

export async function saveFlow(deps: Deps, store: StoreDb, flowId: string, edit: FlowEdit): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    found(await sql.lockFlow(tx, flowId), 'Flow')
    const row = found(await readStore(tx), 'Store')
    const steps = await sql.stepsOf(tx, [flowId])
    checkEdit(
      edit,
      steps.map((step) => step.step),
      minDelayMinutes(deps, row),
    )
    await sql.renameFlow(tx, flowId, edit.name, now)
    for (const change of edit.steps) {
      const step = steps.find((each) => each.step === change.step)!
      await sql.saveStep(tx, flowId, change.step, change.delayMinutes)
      await sql.saveTemplate(tx, step.template_id, change.subject, change.body, now)
    }
    await sql.refreshEffectiveTimeout(tx)
    await retimeEditedMessages(tx, flowId, now)
    await scheduleNextLook(tx)
  })
}

function checkEdit(edit: FlowEdit, known: readonly number[], minDelay: number): void {
  let before = 0
  for (const step of [...edit.steps].sort((a, b) => a.step - b.step)) {
    if (!known.includes(step.step)) throw new AppError('unprocessable', `There is no step ${step.step} in this flow.`)
    if (step.delayMinutes < minDelay) throw new AppError('unprocessable', `A step waits at least ${minDelay} minutes.`)
    if (step.delayMinutes <= before)
      throw new AppError('unprocessable', `Step ${step.step} must wait longer than the one before it.`)
    before = step.delayMinutes
    const problem = templateRenderer().check({ subject: step.subject, body: step.body })
    if (problem) throw new AppError('unprocessable', `Step ${step.step}: ${problem.message}`)
  }
}
