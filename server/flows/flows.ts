import { PLANNED_DAYS } from '../../shared/experiments.ts'
import type { FlowChannels, StepCoupon } from '../../shared/flows.ts'
import { mailServerTexts } from '../../shared/mail-server.ts'
import { capabilities } from '../../shared/platforms.ts'
import { DEFAULT_PUSH, pushTexts } from '../../shared/push.ts'
import { explain } from '../../shared/reasons.ts'
import { entitlementsOf } from '../billing/entitlements.ts'
import { hasFeature } from '../billing/rules.ts'
import { problemOfText } from '../compose/own-text.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../core/db.ts'
import { AppError, found } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { randomToken } from '../core/secrets.ts'
import { couponsThere } from '../coupons/for-messages.ts'
import type { Deps } from '../deps.ts'
import { wayOfAccount } from '../email/mail-servers.ts'
import { begin } from '../experiments/experiments.ts'
import { assertMayMail } from '../members/verification.ts'
import {
  moveStepToChannel,
  retimeEditedMessages,
  scheduleFlowMessages,
  scheduleNextLook,
  wakeStoreMessages,
} from '../messages/messages.ts'
import { readStore, type StoreRow } from '../stores/store.ts'
import { CAMPAIGN_TEMPLATES, READY_TEXTS } from '../templates/ready-templates.ts'
import { refreshDelays } from './push-flow-sql.ts'
import * as sql from './sql.ts'
import { COUPON_GONE, couponColumns } from './step-coupons.ts'

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
  await refreshDelays(tx)
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
    if (wanted.isOn) await demandSender(deps, tx, flowId)
    const takesFrom = wanted.isOn ? startOf(flow, wanted, now) : flow.takes_from
    await sql.switchFlow(tx, flowId, {
      is_on: wanted.isOn,
      switched_on_at: wanted.isOn ? (flow.is_on ? flow.switched_on_at : now) : flow.switched_on_at,
      takes_from: takesFrom,
      updated_at: now,
    })
    await refreshTimeout(tx)
    if (!wanted.isOn) return
    await beginWith(tx, wanted, now)
    await scheduleFlowMessages(tx, await sql.abandonedSince(tx, takesFrom!), now)
    await wakeStoreMessages(tx, ['flow_off', 'sender_missing'], now)
    await scheduleNextLook(tx)
  })
}

/** A control group is the store's (F1): where one is in use, it stays as it is. */
async function beginWith(tx: StoreTx, { holdoutPercent }: FlowSwitch, now: Date): Promise<void> {
  const controlBps = Math.round(holdoutPercent * 100)
  if (controlBps > 0) await begin(tx, { controlBps, days: PLANNED_DAYS }, now)
}

/** From now on, or the last 24 hours too. Rows planned before it was switched off go on as rows (D5). */
function startOf(flow: { is_on: boolean; takes_from: Date | null }, wanted: FlowSwitch, now: Date): Date {
  if (flow.is_on && flow.takes_from) return flow.takes_from
  return wanted.includeLast24h ? new Date(now.getTime() - 86_400_000) : now
}

async function demandSender(deps: Deps, tx: StoreTx, flowId: string): Promise<void> {
  const store = found(await readStore(tx), 'Store')
  const steps = await sql.stepsOf(tx, [flowId])
  const missing = [...missingForSending(store), ...(await missingForMail(deps, tx, store.account_id, steps))]
  if (missing.length > 0) throw new AppError('unprocessable', missing.join(' '))
  await assertMayMail({ accountId: store.account_id, db: tx.db })
}

/** C7: marketing mail carries the sender's name and postal address. */
export function missingForSending(store: { sender_name: string; postal_address: string }): string[] {
  return [
    ...(store.sender_name ? [] : ['Enter the sender name shown in your emails.']),
    ...(store.postal_address ? [] : ['Enter your postal address: the law requires it in marketing emails.']),
  ]
}

/** Without a mail server no email goes out (decision 29). In local mode there is the built-in mailbox. */
export async function missingForMail(
  deps: Deps,
  { db }: StoreDb,
  accountId: string,
  steps: readonly Pick<sql.Step, 'channel'>[],
): Promise<string[]> {
  if (!steps.some(({ channel }) => channel === 'email')) return []
  return (await wayOfAccount(deps, { accountId, db })) === 'none' ? [mailServerTexts.missing] : []
}

export interface FlowEdit {
  name: string
  steps: readonly StepEdit[]
}

interface StepEdit {
  step: number
  delayMinutes: number
  channel?: 'email' | 'sms' | 'whatsapp' | 'push' | undefined
  subject: string
  body: string
  /** undefined: as it is. */
  coupon?: StepCoupon | null | undefined
}

export async function saveFlow(deps: Deps, store: StoreDb<Db>, flowId: string, edit: FlowEdit): Promise<void> {
  const now = deps.now()
  const { account_id: accountId, platform } = found(await readStore(store), 'Store')
  const channels = await channelsFor(deps, { account_id: accountId, platform })
  const problems = await problemsOfText(deps, store, { accountId, flowId, steps: edit.steps })
  await transact(store, async (tx) => {
    found(await sql.lockFlow(tx, flowId), 'Flow')
    const row = found(await readStore(tx), 'Store')
    const steps = await sql.stepsOf(tx, [flowId])
    const wanted = edit.steps.map((change) => {
      const step = steps.find((each) => each.step === change.step)
      if (!step) throw new AppError('unprocessable', `This flow has no step ${change.step}.`)
      return { ...change, from: step, channel: change.channel ?? step.channel }
    })
    checkDelays(wanted, minDelayMinutes(deps, row))
    for (const change of wanted) checkText(change, channels, problems)
    await sql.renameFlow(tx, flowId, edit.name, now)
    for (const change of wanted) await saveStep(tx, flowId, change, now)
    await saveCoupons(tx, flowId, { wanted, currency: row.currency })
    await refreshTimeout(tx)
    await retimeEditedMessages(tx, flowId, now)
    // What waits for a code of the coupon before looks again.
    if (wanted.some(({ coupon }) => coupon !== undefined)) {
      await wakeStoreMessages(tx, ['coupon_pending', 'coupon_failed'], now)
    }
    await scheduleNextLook(tx)
  })
}

interface WantedStep extends Omit<StepEdit, 'channel'> {
  from: sql.Step
  channel: sql.Step['channel']
}

/** Each channel has words of its own, which stay when another is chosen. */
async function saveStep(tx: StoreTx, flowId: string, wanted: WantedStep, now: Date): Promise<void> {
  const { step, delayMinutes, channel, from, subject, body } = wanted
  const templateId = channel === from.channel ? from.template_id : await templateOf(tx, from, channel, now)
  await sql.saveStep(tx, flowId, { step, delayMinutes, channel, templateId })
  if (channel === 'email' || channel === 'push') await sql.saveTemplate(tx, { id: templateId, subject, body, now })
  if (channel === 'sms') await sql.saveTemplate(tx, { id: templateId, subject: '', body, now })
  if (channel !== from.channel) await moveStepToChannel(tx, { flowId, step, channel, templateId }, now)
}

async function saveCoupons(
  tx: StoreTx,
  flowId: string,
  { wanted, currency }: { wanted: readonly WantedStep[]; currency: string },
): Promise<void> {
  const changed = wanted.flatMap(({ step, coupon }, index) => (coupon === undefined ? [] : [{ step, coupon, index }]))
  if (changed.length === 0) return
  const ids = changed.flatMap(({ coupon }) => coupon?.couponId ?? [])
  const known = ids.length > 0 ? await couponsThere(tx, ids) : new Set<string>()
  for (const { step, coupon, index } of changed) {
    if (coupon && !known.has(coupon.couponId)) {
      const fields = { [`steps.${index}.coupon`]: COUPON_GONE }
      throw new AppError('unprocessable', `Step ${step}: ${COUPON_GONE}`, { fields })
    }
    await sql.saveCoupon(tx, flowId, step, coupon && couponColumns(coupon, currency))
  }
}

const baseKey = (key: string) => key.replace(/_(sms|whatsapp|push)$/, '')

async function templateOf(tx: StoreTx, { key, name }: sql.Step, channel: string, now: Date): Promise<string> {
  const wanted = channel === 'email' ? baseKey(key) : `${baseKey(key)}_${channel}`
  const [known] = await sql.templatesByKey(tx, [wanted])
  if (known) return known.id
  const id = newId()
  const body = channel === 'whatsapp' ? READY_TEXTS.whatsapp : channel === 'push' ? DEFAULT_PUSH.body : READY_TEXTS.sms
  const subject = channel === 'push' ? DEFAULT_PUSH.title : ''
  await sql.insertTemplates(tx, [{ id, key: wanted, name, subject, body }], now)
  return id
}

/** The words of each step by mail, by SMS and as a notification, whichever it is sent by. */
export async function textOfSteps(store: StoreDb, steps: readonly sql.Step[]) {
  const keys = steps.flatMap(({ key }) => [baseKey(key), `${baseKey(key)}_sms`, `${baseKey(key)}_push`])
  const templates = new Map((await sql.templatesByKey(store, keys)).reverse().map((each) => [each.key, each]))
  return (step: sql.Step) => {
    const mail = step.channel === 'email' ? step : templates.get(baseKey(step.key))
    const sms = step.channel === 'sms' ? step : templates.get(`${baseKey(step.key)}_sms`)
    const push = step.channel === 'push' ? step : templates.get(`${baseKey(step.key)}_push`)
    return {
      ...{ subject: mail?.subject ?? '', body: mail?.body ?? '', sms: sms?.body ?? READY_TEXTS.sms },
      ...{ pushTitle: push?.subject ?? DEFAULT_PUSH.title, pushBody: push?.body ?? DEFAULT_PUSH.body },
    }
  }
}

/** What stands in the way of steps: of SMS and WhatsApp the plan, credentials, an approved template; of push the platform. */
export async function channelsFor(
  deps: Deps,
  { account_id: accountId, platform }: Pick<StoreRow, 'account_id' | 'platform'>,
): Promise<FlowChannels> {
  const entitlements = await entitlementsOf({ accountId, db: deps.db }, deps.now())
  const [sms, whatsapp] = await Promise.all([
    deps.channels.text(accountId, 'sms'),
    deps.channels.text(accountId, 'whatsapp'),
  ])
  const ofPlan = hasFeature(entitlements, 'flow_texts') ? null : explain('plan_required')
  const isWithout = whatsapp !== null && whatsapp.template === null
  return {
    sms: { problem: ofPlan ?? (sms ? null : explain('sms_not_configured')) },
    whatsapp: {
      problem:
        ofPlan ?? (whatsapp ? (isWithout ? explain('template_missing') : null) : explain('whatsapp_not_configured')),
      template: whatsapp?.template?.text ?? null,
    },
    push: { problem: capabilities[platform].pushHost ? null : pushTexts.noHost },
  }
}

function checkDelays(steps: readonly WantedStep[], minDelay: number): void {
  let before = 0
  for (const { step, delayMinutes } of [...steps].sort((a, b) => a.step - b.step)) {
    if (delayMinutes < minDelay)
      throw new AppError('unprocessable', `The delay of a step must be at least ${minDelay} minutes.`)
    if (delayMinutes <= before)
      throw new AppError('unprocessable', `The delay of step ${step} must be longer than that of the step before.`)
    before = delayMinutes
  }
}

/** A step that is by a channel already may stay so: what is missing now holds its messages, and says so. */
function checkText(
  { step, channel, from }: WantedStep,
  channels: FlowChannels,
  problems: ReadonlyMap<string, string | null>,
): void {
  const isOpen = channel === 'email' || channel === from.channel
  const problem = isOpen ? null : channels[channel].problem
  if (problem) {
    const code = problem === explain('plan_required') ? 'plan_required' : 'unprocessable'
    throw new AppError(code, `Step ${step}: ${problem}`)
  }
  if (channel === 'whatsapp') return
  const wrong = problems.get(`${step} ${channel}`)
  if (wrong === undefined) throw new AppError('conflict', 'The flow has changed in the meantime. Please save again.')
  if (wrong) throw new AppError('unprocessable', `Step ${step}: ${wrong}`)
}

/** Of each step's words in the channel it is to go by. Asked before the transaction, which waits for nobody's text. */
async function problemsOfText(
  deps: Deps,
  store: StoreDb<Db>,
  { accountId, flowId, steps }: { accountId: string; flowId: string; steps: readonly StepEdit[] },
): Promise<Map<string, string | null>> {
  const channels = new Map((await sql.stepsOf(store, [flowId])).map(({ step, channel }) => [step, channel]))
  const asked = steps.map(async ({ step, subject, body, channel = channels.get(step) ?? 'email' }) => {
    const problem = channel === 'whatsapp' ? null : await problemOfText(deps, accountId, { channel, subject, body })
    return [`${step} ${channel}`, problem?.message ?? null] as const
  })
  return new Map(await Promise.all(asked))
}
