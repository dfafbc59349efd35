import type { z } from 'zod'
import { normalizePhone } from '../../shared/contact.ts'
import { explain } from '../../shared/reasons.ts'
import type { testSend } from '../../shared/reminders.ts'
import { type Limit, take } from '../accounts/limits.ts'
import type { Session } from '../accounts/session.ts'
import { userById } from '../accounts/sql.ts'
import type { Outcome } from '../channels/channel.ts'
import { permitTest } from '../channels/permit.ts'
import { type Db, type StoreDb, snapshot, transact } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import { TemplateError } from '../templates/context.ts'
import { assertPlanHas } from './by-hand.ts'
import { insertTestLinks } from './by-hand-sql.ts'
import { textsFor, wayOut } from './deliver.ts'
import { type AnyComposed, compose, isText } from './judge.ts'
import { type Context, monthOf } from './judge-inputs.ts'
import * as load from './judge-sql.ts'
import { imagine } from './preview.ts'
import { bookSpend, lockBudget } from './spend-sql.ts'

// A message for a real cart to whoever asks, by the same code and the same way. It is no message of the cart: no row, no badge, no plan,
// and its links open the restore page without anybody having pressed anything. Only what it costs is booked, as it is paid.

const TESTS: Limit = { name: 'test-send-account', points: 10, windowS: 900 }
const LINKS_MS = 86_400_000

type Wanted = z.output<typeof testSend.body>

export async function sendTest(
  deps: Deps,
  session: Session,
  store: StoreDb<Db>,
  wanted: Wanted,
): Promise<z.infer<typeof testSend.reply>> {
  await assertPlanHas(deps, session.accountId, wanted.channel)
  const texts = await textsFor(deps, store, [wanted.channel])
  const { context, rows } = await snapshot(store, (tx) => imagine(deps, tx, texts, wanted))
  const to = await recipientOf(deps, session, context, wanted)
  const { row } = found(rows[0], 'Cart')
  if (wanted.channel !== 'email' && !texts.get(wanted.channel)) {
    throw new AppError('unprocessable', explain(`${wanted.channel}_not_configured`))
  }
  await refuseSuppressed(deps, store, to, wanted.channel)
  await take(deps, TESTS, session.accountId)
  const toMyself = { ...row, by_hand: { ...row.by_hand!, toAddress: to } }
  const composed = asTest(composeTest(context, toMyself))
  await book(deps, store, session.accountId, composed)
  const { tokens } = composed
  const until = new Date(deps.now().getTime() + LINKS_MS)
  await insertTestLinks(store, { cartId: row.cart_id, tokens, at: deps.now(), until })
  const { put } = wayOut(deps, context.situation, wanted.channel, texts)
  const departing = { id: row.id, channel: wanted.channel, address: to, composed, permit: permitTest() }
  const outcome = await put(departing)
  deps.log.info({ storeId: store.storeId, channel: wanted.channel, outcome: outcome.kind }, 'message.tested')
  return { isAccepted: outcome.kind === 'accepted', to, response: responseOf(outcome) }
}

/** Mail goes to the address one signs in with; a number is one's own word. */
async function recipientOf(
  deps: Deps,
  session: Session,
  { situation }: Context,
  { channel, to }: Wanted,
): Promise<string> {
  if (channel === 'email') return found(await userById(deps.db, session.userId), 'User').email
  const phone = normalizePhone(to ?? '', situation.base_country)
  if (phone) return phone
  const message = 'Enter your own phone number with its country code, such as +1 555 010 0200.'
  throw new AppError('unprocessable', message, { fields: { to: message } })
}

/** A number that has said STOP gets nothing, not even from its owner (C1). */
async function refuseSuppressed(deps: Deps, store: StoreDb<Db>, to: string, channel: Wanted['channel']): Promise<void> {
  const [reason] = (await load.suppressedOf(store, [deps.secrets.addressHash(to)], [channel])).values()
  if (reason) throw new AppError('unprocessable', explain(`suppressed_${reason}`, channel))
}

function composeTest(context: Context, row: load.ClaimedRow): AnyComposed {
  try {
    return compose(context, row, { isTest: true })
  } catch (error) {
    if (error instanceof TemplateError) throw new AppError('unprocessable', error.message)
    throw error
  }
}

/** Nobody takes it for a message to a shopper. A text is marked where it is composed. */
function asTest(composed: AnyComposed): AnyComposed {
  return isText(composed) ? composed : { ...composed, subject: `[Test] ${composed.subject}` }
}

async function book(deps: Deps, store: StoreDb<Db>, accountId: string, composed: AnyComposed): Promise<void> {
  if (!isText(composed)) return
  const { cost } = composed
  const month = monthOf(deps.now())
  await transact(store, async (tx) => {
    const left = await lockBudget(tx, accountId, month)
    const isOver = left && cost.amountMicros > 0 && (left.currency !== cost.currency || cost.amountMicros > left.micros)
    if (isOver) throw new AppError('unprocessable', explain('budget'))
    await bookSpend(tx, accountId, month, [cost])
  })
}

const responseOf = (outcome: Outcome): string =>
  outcome.kind === 'unknown' ? `${explain('unknown')} (${outcome.response})` : outcome.response
