import { domainOf } from '../channels/leaving.ts'
import type { StoreTx } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { ledgerWords } from '../shoppers/evidence-sql.ts'
import { TemplateError } from '../templates/context.ts'
import { linkBase } from '../visits/link-hosts.ts'
import { type Composed, composeEmail } from './compose.ts'
import { type ComposedText, composeText } from './compose-text.ts'
import { type Arm, type Decision, decide } from './decide.ts'
import type * as sql from './deliver-sql.ts'
import {
  type Ahead,
  addressOf,
  approvedFor,
  type Context,
  decisionInputs,
  monthOf,
  recordOf,
  type Texts,
} from './judge-inputs.ts'
import * as load from './judge-sql.ts'
import { receiversOf } from './receivers-sql.ts'

// Loads what decisions rest on, set-wise and in one snapshot, and asks `decide` about each claimed row.

export interface Ready {
  row: load.ClaimedRow
  decision: Extract<Decision, { outcome: 'send' }>
  inputs: Record<string, unknown>
  address: string
  addressHash: string
  composed: AnyComposed
  /** C6: no other text of the channel may ever have left for the cart. */
  isOncePerCart: boolean
  /** T2, for texts. */
  isQuietAt: (at: Date) => boolean
}

/** Mail has a subject and an HTML part; a text has a price. */
export type AnyComposed = Composed | ComposedText
export const isText = (composed: AnyComposed): composed is ComposedText => 'segments' in composed

export interface Judged {
  situation: load.Situation
  month: string
  capSince: Date
  verdicts: sql.Verdict[]
  ready: Ready[]
  arms: { shopperId: string; arm: Arm }[]
}

export async function judge(deps: Deps, tx: StoreTx, ids: readonly string[], texts: Texts): Promise<Judged> {
  const { month, ...base } = await situationOf(deps, tx)
  const rows = await load.loadClaimed(tx, ids, base.now, base.capSince)
  const context = await contextOf(deps, tx, { ...base, texts, isImagined: false }, rows)
  const { situation, capSince } = base
  const judged: Judged = { situation, month, capSince, verdicts: [], ready: [], arms: [] }
  for (const row of rows) sortIn(judged, row, judgeRow(context, row))
  return judged
}

/**
 * What would be decided, at this moment, about messages that do not exist. With `ahead` they would go together, after those it
 * speaks of: each takes its part of plan, budget and cap before the next is decided, and `ahead` then speaks of them too.
 */
export async function judgeImagined(
  deps: Deps,
  tx: StoreTx,
  texts: Texts,
  read: (base: { now: Date; capSince: Date }) => Promise<load.ClaimedRow[]>,
  { isRendered = true, ahead }: { isRendered?: boolean; ahead?: Ahead } = {},
) {
  const base = await situationOf(deps, tx)
  const rows = await read(base)
  const context = await contextOf(deps, tx, { ...base, texts, isImagined: true, ...(ahead && { ahead }) }, rows)
  const judged = rows.map((row) => {
    const judgement = judgeRow(context, row, isRendered)
    if (ahead && judgement.decision.outcome === 'send') goAhead(ahead, row, judgement.composed)
    return { row, ...judgement }
  })
  return { context, situation: base.situation, rows: judged }
}

function goAhead(ahead: Ahead, { shopper_id }: load.ClaimedRow, composed: AnyComposed | null): void {
  ahead.count += 1
  if (composed && isText(composed)) ahead.micros += composed.cost.amountMicros
  ahead.ofShopper.set(shopper_id, (ahead.ofShopper.get(shopper_id) ?? 0) + 1)
}

async function situationOf(deps: Deps, tx: StoreTx) {
  const now = deps.now()
  const month = monthOf(now)
  const situation = await load.loadSituation(tx, month)
  if (!situation) throw new AppError('not_found', 'Store not found')
  const capMs = situation.cap_window_hours * 3_600_000
  return { now, month, situation, capMs, capSince: new Date(now.getTime() - capMs) }
}

const WINDOW_MS = 24 * 3_600_000

async function contextOf(
  deps: Deps,
  tx: StoreTx,
  base: Pick<Context, 'now' | 'situation' | 'capMs' | 'texts' | 'isImagined' | 'ahead'>,
  rows: readonly load.ClaimedRow[],
): Promise<Context> {
  const addresses = [...new Set(rows.flatMap((row) => addressOf(row) ?? []))]
  const hashed = addresses.map((address) => ({ address, hash: deps.secrets.addressHash(address) }))
  const keys = hashed.map(({ hash }) => hash)
  const channels = [...new Set(rows.map((row) => row.channel))]
  const suppressed = await load.suppressedOf(tx, keys, channels)
  const ledger = await ledgerWords(tx, keys, channels)
  const since = new Date(base.now.getTime() - WINDOW_MS)
  const accountId = base.situation.account_id
  const inWindow = channels.includes('whatsapp')
    ? await load.inboundSince(tx, { accountId, hashes: keys, since })
    : new Set<string>()
  const hashes = new Map(hashed.map(({ address, hash }) => [address, hash.toString('hex')]))
  const receivers = channels.includes('email') ? await receiversFor(tx, accountId, addresses) : new Map()
  return { deps, ...base, suppressed, ledger, inWindow, hashes, receivers }
}

async function receiversFor(tx: StoreTx, accountId: string, addresses: readonly string[]) {
  const domains = [...new Set(addresses.filter((address) => address.includes('@')).map(domainOf))]
  return new Map((await receiversOf(tx, accountId, domains)).map((row) => [row.domain, row]))
}

export interface RowJudgement {
  decision: Decision
  inputs: Record<string, unknown>
  composed: AnyComposed | null
  addressHash: string
  isOncePerCart: boolean
  /** T2, for texts. */
  isQuietAt: (at: Date) => boolean
}

/** One row's decision with the record of what it rested on. Also the preview's, for a row that does not exist. */
function judgeRow(context: Context, row: load.ClaimedRow, isRendered = true): RowJudgement {
  const addressHash = context.hashes.get(addressOf(row) ?? '') ?? ''
  let composed: AnyComposed | null = null
  const problem = () => {
    if (!isRendered) return null
    const result = tryCompose(context, row)
    if (typeof result === 'string') return result
    composed = result
    return null
  }
  const cost = () => (composed && isText(composed) ? composed.cost : null)
  const inputs = decisionInputs(context, row, addressHash, { problem, cost })
  const decision = decide(inputs)
  return {
    decision,
    inputs: recordOf(inputs),
    composed,
    addressHash,
    isOncePerCart: inputs.text?.isOncePerCart ?? false,
    isQuietAt: inputs.text?.isQuietAt ?? (() => false),
  }
}

function sortIn(judged: Judged, row: load.ClaimedRow, judgement: RowJudgement): void {
  const { decision, inputs, composed, addressHash, isOncePerCart, isQuietAt } = judgement
  if (decision.assignArm) judged.arms.push({ shopperId: row.shopper_id, arm: decision.assignArm })
  if (decision.outcome === 'send') {
    judged.ready.push({
      row,
      decision,
      inputs,
      address: addressOf(row)!,
      addressHash,
      composed: composed!,
      isOncePerCart,
      isQuietAt,
    })
    return
  }
  const until = decision.outcome === 'hold' ? decision.until : null
  // What a person asked for is answered, not kept (D11).
  const isRefused = decision.outcome === 'hold' && row.by_hand !== null && isAnswer(row, row.by_hand, decision)
  const outcome = isRefused ? 'skip' : decision.outcome
  judged.verdicts.push({
    id: row.id,
    state: outcome === 'hold' ? 'held' : outcome === 'skip' ? 'skipped' : 'cancelled',
    reason: decision.reason,
    // No later than the age limit, at which what waited in vain is closed as too old.
    wake_at: until && until < row.expires_at ? until : row.expires_at,
    outcome,
    until,
    inputs,
  })
}

/** A message for later waits for what may end in time; what certainly does not end before its age limit is said at once. */
function isAnswer(
  row: load.ClaimedRow,
  byHand: load.ByHand,
  { reason, until }: { reason: string; until: Date },
): boolean {
  return byHand.isImmediate || (['quiet_hours', 'cooldown'].includes(reason) && until >= row.expires_at)
}

function tryCompose(context: Context, row: load.ClaimedRow): AnyComposed | string {
  try {
    return compose(context, row)
  } catch (error) {
    if (error instanceof TemplateError) return error.code
    // One cart nobody foresaw must not keep the others of its batch from being decided, again and again.
    context.deps.log.error({ err: error, messageId: row.id }, 'message.compose-failed')
    return 'internal'
  }
}

/** Throws a TemplateError. */
export function compose(context: Context, row: load.ClaimedRow, { isTest = false } = {}): AnyComposed {
  const { deps, situation, texts, inWindow, hashes } = context
  const base = {
    messageId: row.id,
    cart: { items: row.items, valueMinor: row.value_minor, currency: row.currency, firstName: row.first_name },
    store: {
      name: situation.name,
      url: situation.url,
      homeUrl: situation.home_url,
      senderName: situation.sender_name,
      postalAddress: situation.postal_address,
    },
    publicUrl: deps.config.publicUrl,
    secrets: deps.secrets,
    isTest,
  }
  if (row.channel !== 'sms' && row.channel !== 'whatsapp') {
    const publicUrl = linkBase(deps.config.publicUrl, situation.link_host)
    return composeEmail({ ...base, publicUrl, template: templateOf(row) })
  }
  const channel = texts.get(row.channel)
  if (!channel) throw new TemplateError('render_failed', 'This channel is not configured.')
  const to = addressOf(row) ?? ''
  const approved = approvedFor(channel, inWindow.has(hashes.get(to) ?? ''))
  if (approved === null) throw new TemplateError('render_failed', 'No approved template is chosen.')
  const { body, ...template } = templateOf(row)
  return composeText({
    ...base,
    channel: row.channel,
    to,
    body: body ? { ...template, text: body } : null,
    approved: approved === 'free' ? null : approved,
    estimate: (message) => channel.estimate(message),
  })
}

/** A person's own words come before the template's; those of a job are compiled once for all its messages. */
function templateOf(row: load.ClaimedRow) {
  const own = row.by_hand
  const isOwn = own !== null && (own.subject !== null || own.body !== null)
  const version = row.template_version ?? (isOwn ? 1 : 0)
  return {
    id: isOwn ? (own.jobId ?? row.id) : (row.template_id ?? row.id),
    version: isOwn && !own.jobId ? 0 : version,
    subject: own?.subject ?? row.template_subject ?? '',
    body: own?.body ?? row.template_body ?? '',
  }
}
