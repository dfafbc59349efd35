import crypto from 'node:crypto'
import { parsePhoneNumberFromString } from 'libphonenumber-js'
import { plans } from '../../shared/billing.ts'
import type { StoreTx } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { consentRule, recipientCountry } from '../shoppers/consent.ts'
import { TemplateError } from '../templates/context.ts'
import { type Composed, composeEmail } from './compose.ts'
import { type Arm, type Decision, type DecisionInputs, decide } from './decide.ts'
import type * as sql from './deliver-sql.ts'
import * as load from './judge-sql.ts'

// Loads what decisions rest on, set-wise and in one snapshot, and asks `decide` about each claimed row.

export interface Ready {
  row: load.ClaimedRow
  decision: Extract<Decision, { outcome: 'send' }>
  inputs: Record<string, unknown>
  address: string
  addressHash: string
  composed: Composed
}

export interface Judged {
  situation: load.Situation
  month: string
  planLimit: number
  capSince: Date
  verdicts: sql.Verdict[]
  ready: Ready[]
  arms: { shopperId: string; arm: Arm }[]
}

interface Context {
  deps: Deps
  now: Date
  situation: load.Situation
  planLimit: number
  capMs: number
  suppressed: Map<string, string>
  ledger: Map<string, 'granted' | 'withdrawn'>
  /** Of the rows' addresses, in hex. */
  hashes: Map<string, string>
}

export async function judge(deps: Deps, tx: StoreTx, ids: readonly string[]): Promise<Judged> {
  const { situation, month, capSince, ...rest } = await situationOf(deps, tx)
  const rows = await load.loadClaimed(tx, ids, rest.now, capSince)
  const context = await contextOf(deps, tx, { situation, ...rest }, rows)
  const judged: Judged = { situation, month, planLimit: rest.planLimit, capSince, verdicts: [], ready: [], arms: [] }
  for (const row of rows) sortIn(judged, row, judgeRow(context, row))
  return judged
}

/** What would be decided about a message that does not exist, at this moment. */
export async function judgePreview(deps: Deps, tx: StoreTx, row: load.ClaimedRow) {
  const base = await situationOf(deps, tx)
  const context = await contextOf(deps, tx, base, [row])
  return { situation: base.situation, decision: judgeRow(context, row).decision }
}

async function situationOf(deps: Deps, tx: StoreTx) {
  const now = deps.now()
  const month = monthOf(now)
  const situation = await load.loadSituation(tx, month, 'email')
  if (!situation) throw new AppError('not_found', 'Store not found')
  const capMs = situation.cap_window_hours * 3_600_000
  const planLimit = situation.plan ? plans[situation.plan].limits.maxEmailsPerMonth : 0
  return { now, month, situation, capMs, capSince: new Date(now.getTime() - capMs), planLimit }
}

async function contextOf(
  deps: Deps,
  tx: StoreTx,
  base: Pick<Context, 'now' | 'situation' | 'planLimit' | 'capMs'>,
  rows: readonly load.ClaimedRow[],
): Promise<Context> {
  const hashed = rows.flatMap(({ email }) => (email ? [{ email, hash: deps.secrets.addressHash(email) }] : []))
  const keys = hashed.map(({ hash }) => hash)
  const suppressed = await load.suppressedOf(tx, keys, 'email')
  const ledger = await load.ledgerOf(tx, keys, 'email')
  const hashes = new Map(hashed.map(({ email, hash }) => [email, hash.toString('hex')]))
  return { deps, ...base, suppressed, ledger, hashes }
}

interface RowJudgement {
  decision: Decision
  inputs: Record<string, unknown>
  composed: Composed | null
  addressHash: string
}

/** One row's decision with the record of what it rested on. Also the preview's, for a row that does not exist. */
function judgeRow(context: Context, row: load.ClaimedRow): RowJudgement {
  const addressHash = context.hashes.get(row.email ?? '') ?? ''
  let composed: Composed | null = null
  const renderProblem = () => {
    const result = tryCompose(context, row)
    if (typeof result === 'string') return result
    composed = result
    return null
  }
  const inputs = decisionInputs(context, row, addressHash, renderProblem)
  const decision = decide(inputs)
  return { decision, inputs: recordOf(inputs), composed, addressHash }
}

function sortIn(judged: Judged, row: load.ClaimedRow, { decision, inputs, composed, addressHash }: RowJudgement): void {
  if (decision.assignArm) judged.arms.push({ shopperId: row.shopper_id, arm: decision.assignArm })
  if (decision.outcome === 'send') {
    judged.ready.push({ row, decision, inputs, address: row.email!, addressHash, composed: composed! })
    return
  }
  const until = decision.outcome === 'hold' ? decision.until : null
  judged.verdicts.push({
    id: row.id,
    state: decision.outcome === 'hold' ? 'held' : decision.outcome === 'skip' ? 'skipped' : 'cancelled',
    reason: decision.reason,
    // No later than the age limit, at which what waited in vain is closed as too old.
    wake_at: until && until < row.expires_at ? until : row.expires_at,
    outcome: decision.outcome,
    until,
    inputs,
  })
}

function decisionInputs(
  { now, situation, planLimit, capMs, suppressed, ledger }: Context,
  row: load.ClaimedRow,
  addressHash: string,
  renderProblem: () => string | null,
): DecisionInputs {
  const selling = { baseCountry: situation.base_country, sellingCountries: situation.selling_countries }
  const found = recipientCountry('email', { country: row.country, phone: row.phone }, selling, phoneCountry)
  return {
    now,
    message: {
      step: row.step,
      channel: row.channel,
      dueAt: row.due_at,
      expiresAt: row.expires_at,
      attempts: row.attempts,
    },
    isInstancePaused: situation.is_paused,
    store: { isActive: situation.is_active, hasSender: Boolean(situation.sender_name && situation.postal_address) },
    origin:
      row.flow_is_on === null || !row.template_id ? null : { isOn: row.flow_is_on, holdoutBps: row.holdout_bps ?? 0 },
    isSuperseded: row.is_superseded,
    cart: { status: row.cart_status, abandonAt: row.abandon_at, pendingUntil: row.pending_until },
    matchingPurchase: row.matching_order ? { orderId: row.matching_order } : null,
    person: {
      arm: row.arm,
      isMember: row.is_member,
      drawnArm: drawArm(row.shopper_id, row.salt ?? '', row.holdout_bps ?? 0),
    },
    address: row.email,
    suppression: suppressed.get(addressHash) ?? null,
    consent: {
      country: found.country,
      countrySource: found.source,
      rule: consentRule(row.channel, found.country),
      ledger: ledger.get(addressHash) ?? null,
      hasBoughtBefore: row.has_bought_before,
    },
    fencePulledAt: situation.fence_started,
    cap: {
      used: row.cap_used,
      max: situation.cap_messages,
      freesAt: row.cap_oldest ? new Date(row.cap_oldest.getTime() + capMs) : null,
    },
    plan: { used: situation.used, limit: planLimit, renewsAt: nextMonth(now) },
    renderProblem,
  }
}

function tryCompose({ deps, situation }: Context, row: load.ClaimedRow): Composed | string {
  try {
    return composeEmail({
      messageId: row.id,
      cart: { items: row.items, valueMinor: row.value_minor, currency: row.currency, firstName: row.first_name },
      template: {
        id: row.template_id!,
        version: row.template_version!,
        subject: row.template_subject!,
        body: row.template_body!,
      },
      store: {
        name: situation.name,
        url: situation.url,
        homeUrl: situation.home_url,
        senderName: situation.sender_name,
        postalAddress: situation.postal_address,
      },
      publicUrl: deps.config.publicUrl,
      secrets: deps.secrets,
    })
  } catch (error) {
    if (error instanceof TemplateError) return error.code
    // One cart nobody foresaw must not keep the others of its batch from being decided, again and again.
    deps.log.error({ err: error, messageId: row.id }, 'message.compose-failed')
    return 'internal'
  }
}

/** Treated or control, always the same for a shopper and an experiment (F1): HMAC as a number below the share. */
export function drawArm(shopperId: string, salt: string, holdoutBps: number): Arm {
  const digest = crypto.createHmac('sha256', salt).update(shopperId).digest()
  return digest.readUInt32BE(0) / 2 ** 32 < holdoutBps / 10_000 ? 'control' : 'treated'
}

const phoneCountry = (phone: string): string | null => parsePhoneNumberFromString(phone)?.country ?? null

export const monthOf = (now: Date): string => `${now.toISOString().slice(0, 7)}-01`

function nextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}

/** What the decision record keeps (D12): facts, no address and no text. */
function recordOf(inputs: DecisionInputs): Record<string, unknown> {
  const { message, cart, consent, cap, plan } = inputs
  return {
    step: message.step,
    channel: message.channel,
    due: message.dueAt,
    expires: message.expiresAt,
    cart: cart.status,
    flowOn: inputs.origin?.isOn ?? null,
    suppression: inputs.suppression,
    country: consent.country,
    countrySource: consent.countrySource,
    consentRule: consent.rule,
    consent: consent.ledger,
    boughtBefore: consent.hasBoughtBefore,
    ordersReadAt: inputs.fencePulledAt,
    messagesInWindow: cap.used,
    messagesAllowed: cap.max,
    planUsed: plan.used,
    planLimit: plan.limit,
    arm: inputs.person.arm,
  }
}
