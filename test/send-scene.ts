import type { KyselyPlugin, Selectable } from 'kysely'
import { expect } from 'vitest'
import { createId } from '../server/core/common/ids.ts'
import type { MessagesTable } from '../server/core/schema/messages.ts'
import { createChannelRules } from '../server/delivery/send/channel-rules.ts'
import type { SendContext } from '../server/delivery/send/send-window.ts'
import type { ChannelName, OutgoingEmail } from '../server/messages/channels/channel.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { advanceToAbandoned, createMessageScene, HOUR, type MessageScene, sendDueMessages } from './message-scene.ts'
import { acceptMail, type World } from './world.ts'

// Test support: mails in flight, and changes that happen between their send and its outcome.

/** A row of `messages`. */
export type StoredMessage = Selectable<MessagesTable>

/** Connection slots of the test app's mail channel. */
export const POOL_SIZE = 5

export const readStoredMessages = (world: World, storeId: string): Promise<StoredMessage[]> =>
  world.db.selectFrom('messages').selectAll().where('store_id', '=', storeId).orderBy('step').orderBy('id').execute()

export const readStoredMessage = (world: World, id: string): Promise<StoredMessage> =>
  world.db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** Reads when the sender next looks at the store; null: no time is set. */
export async function readNextDueAt(world: World, storeId: string): Promise<Date | null> {
  const schedule = world.db.selectFrom('send_schedule').select('next_due_at').where('store_id', '=', storeId)
  return (await schedule.executeTakeFirstOrThrow()).next_due_at
}

/** Lists outcome and reason of each decision record of a message, in the order of its life cycle. */
export async function listDecisions(world: World, messageId: string): Promise<string[]> {
  const rows = await world.db
    .selectFrom('decision_records')
    .select(['outcome', 'reason', 'at'])
    .where('message_id', '=', messageId)
    .execute()
  const order = ['hold', 'skip', 'cancel', 'send', 'result']
  // At the same time, the reply comes before reports.
  const isReport = ({ reason }: { reason: string }) => Number(!reason.startsWith('accepted'))
  rows.sort(
    (a, b) =>
      a.at.getTime() - b.at.getTime() ||
      order.indexOf(a.outcome) - order.indexOf(b.outcome) ||
      isReport(a) - isReport(b),
  )
  return rows.map(({ outcome, reason }) => `${outcome} ${reason}`)
}

/** Creates the channel rules for an account's messages. */
export function createTestChannelRules({ deps }: World, channel: ChannelName, accountId: string) {
  const evaluation = { situation: { account_id: accountId, in_force: null } }
  return createChannelRules(deps, { channel, mail: null, credits: null, evaluation } as SendContext)
}

/** Holds back the replies of the mail server until the test gives them. */
export function holdReplies(world: World) {
  const waiting: { mail: OutgoingEmail; answer: (outcome?: ReturnType<World['answer']>) => void }[] = []
  let onArrival = () => {}
  world.answer = (mail) => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<World['answer']>>>()
    waiting.push({ mail, answer: (outcome = acceptMail(mail)) => resolve(outcome) })
    onArrival()
    return promise
  }
  return {
    waiting,
    /** Waits until this many mails have arrived since the start. */
    async reach(count: number): Promise<void> {
      while (waiting.length < count) await new Promise<void>((resolve) => (onArrival = resolve))
    },
    /** Accepts the waiting mails and all later ones. */
    answerAll(): void {
      world.answer = acceptMail
      for (const { answer } of waiting) answer()
    },
  }
}

export interface FlightPair {
  /** In flight, without a reply. */
  sending: StoredMessage
  /** Prepared, and waiting for a connection slot. */
  waiting: StoredMessage
}

/**
 * Runs `change` for a store with one due mail more than slots, while one mail waits for a slot and the others for
 * replies.
 */
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

/** A store with one due mail more than slots, each to another shopper, who is known by an order. */
interface Due {
  storeId: string
  orders: PlatformOrder[]
}

/** Creates due reminders: the first step of a flow. */
export async function createDueReminders(world: World): Promise<MessageScene> {
  const scene = await createMessageScene(world, POOL_SIZE + 1, { plan: 'starter' })
  await advanceToAbandoned(world, scene.storeId, HOUR)
  return scene
}

/** The two mails and the orders of their shoppers, the one in flight first. */
export type PairScene<T extends Due> = T & FlightPair & { theirs: PlatformOrder[] }

/** Runs `change` during the send, and expects that it leaves the mail in flight unchanged. */
export async function changeDuringFlight<T extends Due>(
  world: World,
  scene: T,
  change: (of: PairScene<T>) => Promise<unknown>,
): Promise<PairScene<T>> {
  const findOrder = ({ to_address }: StoredMessage) => scene.orders.find(({ email }) => email === to_address)!
  const buildSix = (beside: FlightPair): PairScene<T> => ({
    ...scene,
    ...beside,
    theirs: [findOrder(beside.sending), findOrder(beside.waiting)],
  })
  const rows = await changeDuringSend(world, scene.storeId, async (beside) => {
    await change(buildSix(beside))
    await isUntouched(world, beside)
  })
  return buildSix(rows)
}

async function isUntouched(world: World, { sending }: FlightPair): Promise<void> {
  const { sending_at, claim, worker_id, due_at, wake_at, step, channel, to_address, judged } = sending
  const same = { sending_at, claim, worker_id, due_at, wake_at, step, channel, to_address, judged }
  expect(await readStoredMessage(world, sending.id)).toMatchObject({ state: 'sending', answer: null, ...same })
}

/** Expects the mail in flight to end as without the change. */
export async function expectSent(world: World, { sending }: FlightPair): Promise<void> {
  const { sending_at } = sending
  expect(await readStoredMessage(world, sending.id)).toMatchObject({
    state: 'sent',
    reason: null,
    sending_at,
    answer: null,
    judged: null,
    claim: null,
    attempts: 1,
  })
  const records = await listDecisions(world, sending.id)
  expect([records.length, records[0]!.split(' ')[0], records[1]]).toEqual([2, 'send', 'result accepted'])
}

/** Expects the waiting mail to be closed without a send. */
export async function expectClosedUnsent(world: World, { waiting }: FlightPair, end: string): Promise<void> {
  const { state, reason, claim, sending_at } = await readStoredMessage(world, waiting.id)
  expect([`${state}(${reason})`, claim, sending_at]).toEqual([end, null, null])
  expect(world.sent.map(({ messageId }) => messageId)).not.toContain(waiting.id)
}

/** A process that stores replies and dies before it settles them; `revive`: it was only disconnected. */
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
  return { deps: { ...deps, workerId: createId(), db: db.withPlugin(dies) }, revive }
}

/** Hours from a send until the next step for its cart is due. */
export async function readHoursToNextStep(world: World, messageId: string, sendingAt: Date): Promise<number> {
  const { cart_id } = await readStoredMessage(world, messageId)
  const ofCart = world.db.selectFrom('messages').select('due_at').where('cart_id', '=', cart_id)
  const { due_at } = await ofCart.where('step', '=', 2).executeTakeFirstOrThrow()
  return (due_at.getTime() - sendingAt.getTime()) / HOUR
}

/** Lists state and reason of each message, in this order. */
export const listMessageStates = (world: World, ids: readonly string[]): Promise<string[]> =>
  Promise.all(
    ids.map(async (id) => {
      const { state, reason } = await readStoredMessage(world, id)
      return reason ? `${state}(${reason})` : state
    }),
  )

/** Registers another process with a steady heartbeat. */
export async function createSteadyWorker(world: World): Promise<World['deps']> {
  const workerId = createId()
  const steady_since = new Date(world.now.getTime() - HOUR)
  const row = { id: workerId, started_at: steady_since, seen_at: world.now, steady_since }
  await world.db.insertInto('workers').values(row).execute()
  return { ...world.deps, workerId }
}
