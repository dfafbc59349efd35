import { foldPostsOf } from '../carts/capture-intake.ts'
import type { ChannelName, OutgoingText } from '../channels/channel.ts'
import type { Permit, Permitted } from '../channels/permit.ts'
import { channelTraits, isTextChannelName } from '../channels/traits.ts'
import { type Db, type StoreDb, snapshot, transact } from '../db.ts'
import { isDatabaseAway, outlast } from '../db-away.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { pullFence } from '../stores/sync.ts'
import { type Composed, feedbackIdOf, outgoingEmail } from './compose.ts'
import { FENCE_FRESH_MS } from './decide.ts'
import * as sql from './deliver-sql.ts'
import { type AnyComposed, isText, type Judged, judge, type Ready } from './judge.ts'
import type { Texts } from './judge-inputs.ts'
import type { Situation } from './judge-sql.ts'
import { type StoreLease, takeStoreLease } from './lease.ts'
import { scheduleNextLook } from './messages.ts'
import { openGate } from './receivers.ts'
import { sendInWindow } from './window.ts'

// Way C: fence, posts, claim, decide and render here; hand-over and outcome in window.ts. What leaves is written before it leaves; a
// row goes back only on proof that it was not accepted.

const BATCH = 100
/** The pull itself stops after 20 s (D3); this one only guards against a pull that never returns. */
const FENCE_LIMIT_MS = 30_000
/** A claim this old was left behind by a process that ended; its rows are due again. */
const LEASE_MS = 60_000

/** After a pull that failed the mirror decides for a while: asking a store that is away for every batch holds up others (D8). */
const ASK_AGAIN_MS = 30_000
/** What a hand-over refused is decided anew, but not in the same breath: two that disagree must not spin. */
const REFUSED_WAIT_MS = 1_000

/** Sends what is due for one store, one process at a time. */
export async function sendDue(deps: Deps, { storeId }: { storeId: string }): Promise<void> {
  const store = { storeId, db: deps.db }
  const lease = await takeStoreLease(deps, store)
  if (!lease) return
  const late: Promise<unknown>[] = []
  try {
    await sendRounds(deps, store, lease, late).finally(async () => {
      // Ended whatever happens: a lease that went on being renewed would keep everybody from sending for the store.
      await transact(store, scheduleNextLook).finally(() => lease.end())
    })
  } finally {
    // Others may send for the store by now; a process that stops still waits for these.
    await Promise.all(late)
  }
}

async function sendRounds(deps: Deps, store: StoreDb<Db>, lease: StoreLease, late: Promise<unknown>[]): Promise<void> {
  let failedAt: Date | null = null
  for (let round = 0; round < 1_000; round++) {
    if (!failedAt || deps.now().getTime() - failedAt.getTime() >= ASK_AGAIN_MS) {
      const fence = await pullFence(deps, store.storeId, AbortSignal.timeout(FENCE_LIMIT_MS))
      failedAt = fence.isFresh ? null : deps.now()
    }
    await foldPostsOf(deps, store.storeId)
    if (!(await lease.hold())) return
    const claim = newId()
    const now = deps.now()
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    try {
      const rows = await sql.claimDue(store, { claim, workerId: deps.workerId, now, leaseUntil, limit: BATCH })
      if (rows.length === 0) return
      await deliverClaim(deps, store, { claim, rows, lease, isFenceDown: failedAt !== null, late })
    } catch (error) {
      await giveBack(deps, store, claim)
      throw error
    }
  }
}

/** After a failure nobody works on the claim any more. With the database away it is given back as soon as it returns. */
async function giveBack(deps: Deps, store: StoreDb<Db>, claim: string): Promise<void> {
  const release = () => sql.releaseClaim(store, claim, { ids: [], wakeAt: deps.now() }, deps.now())
  const note = (error: unknown) => deps.log.error({ storeId: store.storeId, err: error }, 'messages.claim-not-released')
  try {
    await release()
  } catch (error) {
    if (isDatabaseAway(error)) void outlast(release).catch(note)
    else note(error)
  }
}

interface Batch {
  claim: string
  rows: readonly sql.ClaimedId[]
  lease: StoreLease
  /** The pull just failed, so that orders known from the last 15 minutes have to do (D3). */
  isFenceDown: boolean
  late: Promise<unknown>[]
}

async function deliverClaim(deps: Deps, store: StoreDb<Db>, batch: Batch): Promise<void> {
  const { claim, lease, rows } = batch
  const texts = await textsFor(
    deps,
    store,
    rows.map((row) => row.channel),
  )
  const judged = await snapshot(store, (tx) =>
    judge(
      deps,
      tx,
      rows.map((row) => row.id),
      texts,
    ),
  )
  if (judged.arms.length > 0) await sql.setArms(store, judged.arms, deps.now())
  if (judged.verdicts.length > 0) await sql.applyVerdicts(store, claim, judged.verdicts, deps.now())
  // The rest of a slow batch goes back and is decided on a new pull.
  const mayGoOn = async () => (batch.isFenceDown || isFenceFresh(judged, deps.now())) && lease.hold()
  const base = { claim, judged, mayGoOn, late: batch.late }
  const byChannel = Map.groupBy(oncePerPerson(judged.ready), ({ row }) => row.channel)
  // Side by side: a slow provider of one channel keeps no other waiting.
  const ended = await Promise.allSettled(
    [...byChannel].map(([channel, ready]) => {
      const gate = channel === 'email' ? openGate(judged.situation.account_id) : null
      const out = wayOut(deps, judged.situation, channel, texts)
      return sendInWindow(deps, store, { ...base, channel, gate, ...out }, ready)
    }),
  )
  const failed = ended.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
  const refused = ended.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  const now = deps.now()
  const wakeAt = new Date(now.getTime() + REFUSED_WAIT_MS)
  // Second messages of one person and what was not come to: decided anew at once.
  await sql.releaseClaim(store, claim, { ids: refused, wakeAt }, now)
}

/** What is configured of the text channels among these; the account is looked up only for them. */
export async function textsFor(deps: Deps, store: StoreDb<Db>, channels: readonly ChannelName[]): Promise<Texts> {
  const names = [...new Set(channels)].filter(isTextChannelName)
  if (names.length === 0) return new Map()
  const accountId = await sql.accountOf(store)
  return new Map(
    await Promise.all(names.map(async (name) => [name, await deps.channels.text(accountId, name)] as const)),
  )
}

/** What is put on a wire, of a message's row or of a test that has none. */
export interface Departing {
  id: string
  channel: ChannelName
  address: string
  composed: AnyComposed
  permit: Permit
}

/** The wire of a channel and how a message gets on it. */
export function wayOut(deps: Deps, situation: Situation, channel: ChannelName, texts: Texts) {
  if (isTextChannelName(channel)) {
    // Without it no row of the channel is ready.
    const wire = texts.get(channel)!
    return { wire, put: (each: Departing) => wire.send(outgoingText(each)) }
  }
  if (channel !== 'email') throw new Error(`no way out for a ${channelTraits[channel].word}`)
  const wire = situation.account_is_demo ? deps.channels.demoEmail : deps.channels.email
  const feedbackId = feedbackIdOf(deps.secrets, situation.account_id, situation.url)
  const { account_id: accountId } = situation
  const sender = { name: situation.sender_name, email: situation.sender_email, feedbackId, accountId }
  const put = ({ id, address, composed, permit }: Departing) =>
    wire.send({ ...outgoingEmail(id, address, composed as Composed, sender, deps.config.mailFrom), permit })
  return { wire, put }
}

function outgoingText({ id, channel, address, composed, permit }: Departing): Permitted<OutgoingText> {
  if (!isText(composed) || !isTextChannelName(channel)) throw new Error('not a text')
  const { text, template } = composed
  return { messageId: id, channel, to: address, text, template, permit }
}

function isFenceFresh({ situation }: Judged, now: Date): boolean {
  return situation.fence_started !== null && now.getTime() - situation.fence_started.getTime() <= FENCE_FRESH_MS
}

/** A batch holds at most one message per person (D10): the cap counts the first before the second is decided. */
function oncePerPerson(ready: readonly Ready[]): Ready[] {
  const seen = new Set<string>()
  return ready.filter(({ row }) => !seen.has(row.shopper_id) && seen.add(row.shopper_id))
}
