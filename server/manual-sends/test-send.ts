import type { z } from 'zod'
import { normalizePhone } from '../../shared/contact.ts'
import { explain } from '../../shared/reasons.ts'
import type { testSend } from '../../shared/reminders.ts'
import { monthOf } from '../billing/rules.ts'
import type { Outcome } from '../channels/channel.ts'
import { authorizeTest } from '../channels/send-authorization.ts'
import { type Db, type StoreDb, transact } from '../core/db.ts'
import { AppError, found } from '../core/errors.ts'
import { type Limit, take } from '../core/rate-limits.ts'
import { type AnyComposed, compose, isText } from '../decide/composing.ts'
import { type Context, mailWayOfSituation } from '../decide/decision-inputs.ts'
import * as load from '../decide/situation.ts'
import type { Deps } from '../deps.ts'
import type { Session } from '../members/session.ts'
import { userById } from '../members/users.ts'
import { assertMayMail } from '../members/verification.ts'
import { noteTest } from '../notifications/notifications.ts'
import { imagine } from '../preview/preview.ts'
import { textsFor, transportOf } from '../send/deliver.ts'
import { TemplateError } from '../templates/context.ts'
import { bookSpend, lockBudget } from '../texts/spend.ts'
import { assertPlanHas } from './manual.ts'
import { insertTestLinks } from './manual-sql.ts'

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
  if (wanted.channel === 'email') await assertMayMail({ accountId: session.accountId, db: deps.db })
  const texts = await textsFor(deps, store, [wanted.channel])
  const { context, rows } = await imagine(deps, store, texts, wanted)
  const to = await recipientOf(deps, session, context, wanted)
  const { row } = found(rows[0], 'Cart')
  if (wanted.channel !== 'email' && !texts.get(wanted.channel)) {
    throw new AppError('unprocessable', explain(`${wanted.channel}_not_configured`))
  }
  const isMailOff = mailWayOfSituation(deps, context.situation) === 'none'
  if (wanted.channel === 'email' && isMailOff) throw new AppError('unprocessable', explain('mail_not_configured'))
  await refuseSuppressed(deps, store, to, wanted.channel)
  await take(deps, TESTS, session.accountId)
  const toMyself = { ...row, manual: { ...row.manual!, toAddress: to } }
  const composed = asTest(await composeTest(context, toMyself))
  await book(deps, store, session.accountId, composed)
  const { tokens } = composed
  const until = new Date(deps.now().getTime() + LINKS_MS)
  await insertTestLinks(store, { cartId: row.cart_id, tokens, at: deps.now(), until })
  const { put } = await transportOf(deps, context.situation, wanted.channel, texts)
  const departing = { id: row.id, channel: wanted.channel, address: to, composed, sendAuthorization: authorizeTest() }
  const outcome = await put(departing)
  deps.log.info({ storeId: store.storeId, channel: wanted.channel, outcome: outcome.kind }, 'message.tested')
  if (outcome.kind === 'accepted') await noteTest(deps, store, wanted.channel, to)
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

async function composeTest(context: Context, row: load.ClaimedRow): Promise<AnyComposed> {
  try {
    return await compose(context, row, { isTest: true })
  } catch (error) {
    if (error instanceof TemplateError) throw new AppError('unprocessable', error.message)
    throw error
  }
}

const TEST_LINE = 'This is a test message sent by a Recoup user. It is not a message from a shop.'

/** Nobody takes it for a message to a shopper. A text is marked where it is composed. */
function asTest(composed: AnyComposed): AnyComposed {
  if (isText(composed)) return composed
  const { subject, text, html } = composed
  return { ...composed, subject: `[Test] ${subject}`, text: `${TEST_LINE}\n\n${text}`, html: withTestLine(html) }
}

/** First in the body, whatever the layout. */
function withTestLine(html: string): string {
  const start = html.indexOf('>', html.indexOf('<body')) + 1
  const style = 'margin:0;padding:12px 16px;background:#ffffff;color:#1f2328;font:14px/1.5 sans-serif;text-align:center'
  return `${html.slice(0, start)}<p style="${style}">${TEST_LINE}</p>${html.slice(start)}`
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
