import { PLANNED_DAYS } from '../../../shared/carts/experiments.ts'
import { mailServerTexts } from '../../../shared/delivery/mail-server.ts'
import { pushTexts } from '../../../shared/delivery/push.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { FlowChannels } from '../../../shared/marketing/flows.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { assertMayMail } from '../../access/members/public.ts'
import { readStore, type StoreRow } from '../../access/stores/public.ts'
import { hasFeature, loadEntitlements } from '../../billing/billing/public.ts'
import { begin } from '../../carts/experiments/public.ts'
import { assignFlows } from '../../carts/flow-choice/public.ts'
import { AppError, createId, createToken, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import { loadAccountMailRoute } from '../../delivery/email/public.ts'
import type { Deps } from '../../deps.ts'
import { scheduleNextRun, wakeStoreMessages } from '../../messages/messages/public.ts'
import { CAMPAIGN_TEMPLATES, getReadyEmail } from '../../messages/templates/public.ts'
import { refreshDelays } from './push-flow-sql.ts'
import * as sql from './sql.ts'

// Flows. An active flow matches carts whose last activity is after its activation; its steps are timed from that
// activity.
// Deactivating a flow keeps its planned rows and holds them.

const READY_STEPS = [
  { key: 'first_reminder', delayMinutes: 60, demoMinutes: 1 },
  { key: 'second_reminder', delayMinutes: 24 * 60, demoMinutes: 3 },
  { key: 'last_reminder', delayMinutes: 72 * 60, demoMinutes: 5 },
] as const

/**
 * Created inactive for every new store, with emails in its language. The demo's steps use short delays (decision 29).
 */
export async function createReadyFlow(
  tx: StoreTx,
  now: Date,
  { locale, is_demo: isDemo }: Pick<StoreRow, 'locale' | 'is_demo'>,
): Promise<void> {
  if (await sql.hasFlow(tx)) return
  const templates = READY_STEPS.map(({ key }) => ({
    id: createId(),
    key,
    name: CAMPAIGN_TEMPLATES.find(({ id }) => id === key)!.name,
    ...getReadyEmail(key, locale),
  }))
  await sql.insertTemplates(tx, templates, now)
  const steps = READY_STEPS.map((step, index) => ({
    id: createId(),
    step: index + 1,
    delayMinutes: isDemo ? step.demoMinutes : step.delayMinutes,
    channels: ['email'] as const,
    templateId: templates.find((template) => template.key === step.key)!.id,
  }))
  const flow = {
    id: createId(),
    name: 'Abandoned cart reminders',
    salt: createToken(),
    position: 1,
    conditions: null,
    now,
  }
  await sql.insertFlow(tx, flow, steps)
}

/** 1 minute in local mode and in the demo, 15 minutes elsewhere. */
export const minDelayMinutes = (deps: Pick<Deps, 'config'>, store: { is_demo: boolean }): number =>
  deps.config.isLocal || store.is_demo ? 1 : 15

/**
 * Call after a change of the store's abandonment timeout: updates the effective timeout of its carts (S1) in the same
 * commit.
 */
export async function refreshTimeout(tx: StoreTx): Promise<void> {
  await sql.refreshEffectiveTimeout(tx)
  await refreshDelays(tx)
}

export interface FlowSwitch {
  isOn: boolean
  holdoutPercent: number
  includeLast24h: boolean
}

export async function switchFlow(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  store: StoreDb,
  flowId: string,
  input: FlowSwitch,
): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    const flow = requireFound(await sql.lockFlow(tx, flowId), 'Flow')
    if (input.isOn) await assertSender(deps, tx, flowId)
    const takesFrom = input.isOn ? activationStart(flow, input, now) : flow.takes_from
    await sql.switchFlow(tx, flowId, {
      is_on: input.isOn,
      switched_on_at: input.isOn ? (flow.is_on ? flow.switched_on_at : now) : flow.switched_on_at,
      takes_from: takesFrom,
      updated_at: now,
    })
    await refreshTimeout(tx)
    if (!input.isOn) return
    await startControlGroup(tx, input, now)
    await assignFlows(tx, { secrets: deps.secrets, now }, await sql.listAbandonedSince(tx, takesFrom!))
    await wakeStoreMessages(tx, ['flow_off', 'sender_missing'], now)
    await scheduleNextRun(tx)
  })
}

/** The control group belongs to the store (F1): an existing one stays unchanged. */
async function startControlGroup(tx: StoreTx, { holdoutPercent }: FlowSwitch, now: Date): Promise<void> {
  const controlBps = Math.round(holdoutPercent * 100)
  if (controlBps > 0) await begin(tx, { controlBps, days: PLANNED_DAYS }, now)
}

/** Now, or 24 hours ago on request. Rows planned before a deactivation continue as they are (D5). */
function activationStart(flow: { is_on: boolean; takes_from: Date | null }, input: FlowSwitch, now: Date): Date {
  if (flow.is_on && flow.takes_from) return flow.takes_from
  return input.includeLast24h ? new Date(now.getTime() - 86_400_000) : now
}

async function assertSender(deps: Pick<Deps, 'config'>, tx: StoreTx, flowId: string): Promise<void> {
  const store = requireFound(await readStore(tx), 'Store')
  const account = { accountId: store.account_id, db: tx.db }
  const steps = await sql.listSteps(tx, [flowId])
  const missing = [...listMissingForSending(store), ...(await listMissingForMail(deps, account, steps))]
  if (missing.length > 0) throw new AppError('unprocessable', missing.join(' '))
  await assertMayMail(account)
}

/** C7: marketing mail must name the sender and the postal address. */
export function listMissingForSending(store: { sender_name: string; postal_address: string }): string[] {
  return [
    ...(store.sender_name ? [] : ['Enter the sender name shown in your emails.']),
    ...(store.postal_address ? [] : ['Enter your postal address: the law requires it in marketing emails.']),
  ]
}

/** Without a mail server no email is sent (decision 29). Local mode has a built-in mailbox. */
export async function listMissingForMail(
  deps: Pick<Deps, 'config'>,
  account: AccountDb,
  steps: readonly Pick<sql.Step, 'channel'>[],
): Promise<string[]> {
  if (!steps.some(({ channel }) => channel === 'email')) return []
  return (await loadAccountMailRoute(deps, account)) === 'none' ? [mailServerTexts.missing] : []
}

/**
 * What steps of each channel lack: for SMS and WhatsApp the plan, credentials or an approved template; for push the
 * platform.
 */
export async function findChannelProblems(
  deps: Pick<Deps, 'channels' | 'now'>,
  account: AccountDb,
  { platform }: Pick<StoreRow, 'platform'>,
): Promise<FlowChannels> {
  const { accountId } = account
  const entitlements = await loadEntitlements(account, deps.now())
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
