import type { KyselyPlugin, Selectable } from 'kysely'
import { expect } from 'vitest'
import { newId } from '../server/core/common/ids.ts'
import type { MessagesTable } from '../server/core/schema/messages.ts'
import { createChannelRules } from '../server/delivery/send/channel-rules.ts'
import type { SendContext } from '../server/delivery/send/send-window.ts'
import type { ChannelName, OutgoingEmail } from '../server/messages/channels/channel.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { advanceToAbandoned, createMessageScene, HOUR, type MessageScene, sendDueMessages } from './message-scene.ts'
import { acceptMail, type World } from './world.ts'

// Test support: mails between a turn and what follows from it.

/** As it stands in the table. */
export type StoredMessage = Selectable<MessagesTable>

/** Of the world's mail channel. */
export const POOL_SIZE = 5

export const readStoredMessages = (world: World, storeId: string): Promise<StoredMessage[]> =>
  world.db.selectFrom('messages').selectAll().where('store_id', '=', storeId).orderBy('step').orderBy('id').execute()

export const readStoredMessage = (world: World, id: string): Promise<StoredMessage> =>
  world.db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** When whoever sends looks at the store; null: no time is set. */
export async function readNextDueAt(world: World, storeId: string): Promise<Date | null> {
  const schedule = world.db.selectFrom('send_schedule').select('next_due_at').where('store_id', '=', storeId)
  return (await schedule.executeTakeFirstOrThrow()).next_due_at
}

/** Outcome and reason of each record of a message, in the order of a message's life. */
export async function listDecisions(world: World, messageId: string): Promise<string[]> {
  const rows = await world.db
    .selectFrom('decision_records')
    .select(['outcome', 'reason', 'at'])
    .where('message_id', '=', messageId)
    .execute()
  const order = ['hold', 'skip', 'cancel', 'send', 'result']
  // In one moment the reply comes before what is reported.
  const isReport = ({ reason }: { reason: string }) => Number(!reason.startsWith('accepted'))
  rows.sort(
    (a, b) =>
      a.at.getTime() - b.at.getTime() ||
      order.indexOf(a.outcome) - order.indexOf(b.outcome) ||
      isReport(a) - isReport(b),
  )
  return rows.map(({ outcome, reason }) => `${outcome} ${reason}`)
}

/** What the channel adds to the turn of an account's messages. */
export function createTestChannelRules({ deps }: World, channel: ChannelName, accountId: string) {
  const evaluation = { situation: { account_id: accountId, in_force: null } }
  return createChannelRules(deps, { channel, mail: null, credits: null, evaluation } as SendContext)
}

/** Of mails that came to a mail server: each waits for its answer until it is given one. */
export function holdReplies(world: World) {
  const waiting: { mail: OutgoingEmail; answer: (outcome?: ReturnType<World['answer']>) => void }[] = []
  let came = () => {}
  world.answer = (mail) => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<World['answer']>>>()
    waiting.push({ mail, answer: (outcome = acceptMail(mail)) => resolve(outcome) })
    came()
    return promise
  }
  return {
    waiting,
    /** So many have come, since the beginning. */
    async reach(count: number): Promise<void> {
      while (waiting.length < count) await new Promise<void>((resolve) => (came = resolve))
    },
    /** These, and all that come after them. */
    answerAll(): void {
      world.answer = acceptMail
      for (const { answer } of waiting) answer()
    },
  }
}

export interface FlightPair {
  /** In flight, without an answer. */
  sending: StoredMessage
  /** Prepared, and waits for a place in flight. */
  waiting: StoredMessage
}

/** Of a store with one due mail more than the wire carries: what happens while that one waits for its place and the others for answers. */
export async function changeDuringSend(
  world: World,
  storeId: string,
  change: (rows: FlightPair) => Promise<unknown>,
): Promise<FlightPair> {
  const server = holdReplies(world)
  const sending = sendDueMessages(world, storeId)
  try {
    await server.reach(POOL_SIZE)
    const rows = await readStoredMessages(world, storeId)
    const sending = rows.find(({ state }) => state === 'sending')!
    const waiting = rows.find((row) => row.judged !== null && row.state === 'claimed')!
    await change({ sending, waiting })
    return { sending, waiting }
  } finally {
    server.answerAll()
    await sending
  }
}

/** A store with one due mail more than the wire carries, each to another person, who is known by an order. */
interface Due {
  storeId: string
  orders: PlatformOrder[]
}

/** Of reminders: the first step of a flow. */
export async function createDueReminders(world: World): Promise<MessageScene> {
  const scene = await createMessageScene(world, POOL_SIZE + 1, { plan: 'starter' })
  await advanceToAbandoned(world, scene.storeId, HOUR)
  return scene
}

/** What the change is about: both, and whose they are, the one in flight first. */
export type PairScene<T extends Due> = T & FlightPair & { theirs: PlatformOrder[] }

/** What happens beside the turn leaves the mail that is in flight as it is. */
export async function changeDuringFlight<T extends Due>(
  world: World,
  scene: T,
  change: (of: PairScene<T>) => Promise<unknown>,
): Promise<PairScene<T>> {
  const orderOf = ({ to_address }: StoredMessage) => scene.orders.find(({ email }) => email === to_address)!
  const six = (beside: FlightPair): PairScene<T> => ({
    ...scene,
    ...beside,
    theirs: [orderOf(beside.sending), orderOf(beside.waiting)],
  })
  const rows = await changeDuringSend(world, scene.storeId, async (beside) => {
    await change(six(beside))
    await isUntouched(world, beside)
  })
  return six(rows)
}

async function isUntouched(world: World, { sending }: FlightPair): Promise<void> {
  const { sending_at, claim, worker_id, due_at, wake_at, step, channel, to_address, judged } = sending
  const same = { sending_at, claim, worker_id, due_at, wake_at, step, channel, to_address, judged }
  expect(await readStoredMessage(world, sending.id)).toMatchObject({ state: 'sending', answer: null, ...same })
}

/** The end of the one in flight, as if nothing had been beside it. */
export async function expectSent(world: World, { sending }: FlightPair): Promise<void> {
  const { sending_at } = sending
  expect(await readStoredMessage(world, sending.id)).toMatchObject({
    ...{ state: 'sent', reason: null, sending_at, answer: null, judged: null },
    ...{ claim: null, attempts: 1 },
  })
  const records = await listDecisions(world, sending.id)
  expect([records.length, records[0]!.split(' ')[0], records[1]]).toEqual([2, 'send', 'result accepted'])
}

/** Closed, and it never left. */
export async function expectClosedUnsent(world: World, { waiting }: FlightPair, end: string): Promise<void> {
  const { state, reason, claim, sending_at } = await readStoredMessage(world, waiting.id)
  expect([`${state}(${reason})`, claim, sending_at]).toEqual([end, null, null])
  expect(world.sent.map(({ messageId }) => messageId)).not.toContain(waiting.id)
}

/** A process that writes answers, and dies before it writes an end; `revive`: it was only cut off. */
export function createDyingProcess({ deps, db }: World) {
  let isDead = true
  const dies: KyselyPlugin = {
    transformQuery({ node }) {
      if (isDead && JSON.stringify(node).includes('with sending as')) throw new Error('the process has ended')
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const revive = () => {
    isDead = false
  }
  return { deps: { ...deps, workerId: newId(), db: db.withPlugin(dies) }, revive }
}

/** How many hours after a send the next step about its cart is due. */
export async function readHoursToNextStep(world: World, messageId: string, sendingAt: Date): Promise<number> {
  const { cart_id } = await readStoredMessage(world, messageId)
  const ofCart = world.db.selectFrom('messages').select('due_at').where('cart_id', '=', cart_id)
  const { due_at } = await ofCart.where('step', '=', 2).executeTakeFirstOrThrow()
  return (due_at.getTime() - sendingAt.getTime()) / HOUR
}

/** State and reason of each, in this order. */
export const listMessageStates = (world: World, ids: readonly string[]): Promise<string[]> =>
  Promise.all(
    ids.map(async (id) => {
      const { state, reason } = await readStoredMessage(world, id)
      return reason ? `${state}(${reason})` : state
    }),
  )

/** Another process, heard all the time. */
export async function createSteadyWorker(world: World): Promise<World['deps']> {
  const workerId = newId()
  const steady_since = new Date(world.now.getTime() - HOUR)
  const row = { id: workerId, started_at: steady_since, seen_at: world.now, steady_since }
  await world.db.insertInto('workers').values(row).execute()
  return { ...world.deps, workerId }
}
