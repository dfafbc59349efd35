import type { z } from 'zod'
import { normalizePhone } from '../../../shared/core/contact.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { SAMPLE_CART, type SendChannel, type TestReply } from '../../../shared/delivery/reminders.ts'
import type { testSend } from '../../../shared/marketing/message-preview.ts'
import { hasListedPrice } from '../../../shared/messages/text-prices.ts'
import { assertMayMail, findUserById, type Session } from '../../access/members/public.ts'
import { noteTest } from '../../access/notifications/public.ts'
import { formatMonth } from '../../billing/billing/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type Limit, type StoreDb, sql, takePoint, transact } from '../../core/db/public.ts'
import * as load from '../../delivery/decide/public.ts'
import {
  type AnyComposed,
  compose,
  type DecisionContext,
  findMailRoute,
  isPush,
  isText,
  type Texts,
} from '../../delivery/decide/public.ts'
import {
  explainCoupon,
  imagineOffer,
  loadManualPreview,
  loadSampleMessage,
  type OfferRequest,
  type SampleMessage,
} from '../../delivery/preview/preview.ts'
import { loadTextChannels, openTransport } from '../../delivery/send/public.ts'
import { bookSpend, lockBudget } from '../../delivery/texts/public.ts'
import type { Deps } from '../../deps.ts'
import { authorizeTest, findTextCountry, type Outcome } from '../../messages/channels/public.ts'
import { TemplateError } from '../../messages/templates/public.ts'
import { assertPlanHas } from './manual.ts'

// Sends a test for a real cart or the sample cart to the member, by the common render and send code. The test creates no message row,
// badge or plan use, and its links only open the restore page. Its price is booked, because it is paid.

const TESTS: Limit = { name: 'test-send-account', points: 10, windowS: 900 }
/** For texts through the operator's provider account, which the operator pays for. */
const TESTS_BY_OPERATOR: Limit = { name: 'test-send-operator', points: 10, windowS: 86_400 }
const LINKS_MS = 86_400_000

type TestSendInput = z.output<typeof testSend.body>

/** The member and the store. */
export interface Tester {
  deps: Deps
  session: Session
  account: AccountDb<Db>
  store: StoreDb<Db>
}

export function sendTest(tester: Tester, input: TestSendInput): Promise<TestResult> {
  const { deps, store } = tester
  const isSample = input.cartId === SAMPLE_CART
  return sendHypothetical(tester, { ...input, isSample }, (texts) =>
    isSample ? loadSampleMessage(deps, store, texts, input) : loadManualPreview(deps, store, texts, input),
  )
}

/** A discount mail as one customer would get it. */
export function sendOfferTest(tester: Tester, offer: OfferRequest): Promise<TestResult> {
  return sendHypothetical(tester, { channel: 'email' }, () => imagineOffer(tester.deps, tester.store, offer))
}

type TestResult = z.infer<typeof TestReply>

interface TestRoute {
  channel: SendChannel
  to?: string | undefined
  /** About the sample cart, which exists in no table. */
  isSample?: boolean
}

async function sendHypothetical(
  { deps, session, account, store }: Tester,
  { channel, to: own, isSample = false }: TestRoute,
  imagined: (texts: Texts) => Promise<SampleMessage>,
): Promise<TestResult> {
  await assertPlanHas(deps, account, channel)
  if (channel === 'email') await assertMayMail(account)
  const texts = await loadTextChannels(deps, store, [channel])
  const { context, rows } = await imagined(texts)
  const { row } = requireFound(rows[0], 'Cart')
  assertNotSuspended(context)
  const to = await resolveRecipient(deps, session, context, { channel, to: own })
  assertConfigured(deps, context, channel, texts)
  await assertNotSuppressed(deps, store, to, channel)
  await takePoint(deps, TESTS, session.accountId)
  if (channel !== 'email' && texts.get(channel)?.credits) {
    assertNotPremium(to)
    await takePoint(deps, TESTS_BY_OPERATOR, session.accountId)
  }
  const couponNote = explainCoupon(context, row)
  const composed = markAsTest(await composeTest(context, row, { to, isSample }), couponNote)
  await bookCost(deps, store, session.accountId, composed)
  const { tokens } = composed
  const until = new Date(deps.now().getTime() + LINKS_MS)
  await insertTestLinks(store, { cartId: isSample ? null : row.cart_id, tokens, at: deps.now(), until })
  const transport = await openTransport(deps, store, context.situation, { channel, texts })
  const message = { id: row.id, channel, address: to, composed, sendAuthorization: authorizeTest() }
  const outcome = await transport.sendOne(message, () => true)
  deps.log.info({ storeId: store.storeId, channel, outcome: outcome.kind }, 'message.tested')
  if (outcome.kind === 'accepted') await noteTest(deps, store, channel, to)
  return { isAccepted: outcome.kind === 'accepted', to, response: formatResponse(outcome), couponNote }
}

/**
 * No test is sent while an operator has suspended the account or the plan has no room for the store (decisions 85 and
 * 90).
 */
function assertNotSuspended({ situation }: DecisionContext): void {
  if (situation.is_account_suspended) throw new AppError('forbidden', explain('account_suspended'))
  if (situation.is_resting) throw new AppError('plan_required', explain('store_resting'))
}

/** Mail goes to the member's sign-in address; a phone number is unverified. */
async function resolveRecipient(
  deps: Pick<Deps, 'db'>,
  session: Session,
  { situation }: DecisionContext,
  { channel, to }: TestRoute,
): Promise<string> {
  if (channel === 'email') return requireFound(await findUserById(deps.db, session.userId), 'User').email
  const phone = normalizePhone(to ?? '', situation.base_country)
  if (phone) return phone
  const message = 'Enter your own phone number with its country code, such as +1 555 010 0200.'
  throw new AppError('unprocessable', message, { fields: { to: message } })
}

/** A number is unverified, so the operator's provider account sends no test to premium numbers. */
function assertNotPremium(phone: string): void {
  const country = findTextCountry(phone)
  if (country && hasListedPrice(country)) return
  const message =
    'Tests by this server’s account can be sent only to mobile numbers in countries with a price listed below the budget.'
  throw new AppError('unprocessable', message, { fields: { to: message } })
}

function assertConfigured(
  deps: Pick<Deps, 'config'>,
  { situation }: DecisionContext,
  channel: SendChannel,
  texts: Texts,
): void {
  if (channel !== 'email' && !texts.get(channel)) {
    throw new AppError('unprocessable', explain(`${channel}_not_configured`))
  }
  if (channel === 'email' && findMailRoute(deps, situation) === 'none') {
    throw new AppError('unprocessable', explain('mail_not_configured'))
  }
}

/** A number that replied STOP gets nothing, not even from its owner (C1). */
async function assertNotSuppressed(
  deps: Pick<Deps, 'secrets'>,
  store: StoreDb<Db>,
  to: string,
  channel: SendChannel,
): Promise<void> {
  const [reason] = (await load.loadSuppressions(store, [deps.secrets.addressHash(to)], [channel])).values()
  if (reason) throw new AppError('unprocessable', explain(`suppressed_${reason}`, channel))
}

/** A text is priced for the number it goes to. The coupon of a mail is that of the shopper. */
async function composeTest(
  context: DecisionContext,
  row: load.ClaimedRow,
  { to, isSample }: { to: string; isSample: boolean },
): Promise<AnyComposed> {
  const toMyself = row.channel === 'email' ? row : withPhone(row, to)
  try {
    return await compose(isSample ? withSender(context) : context, toMyself, { isTest: true, isSample })
  } catch (error) {
    if (error instanceof TemplateError) throw new AppError('unprocessable', error.message)
    throw error
  }
}

/** The sample cart has no request of a member. */
const withPhone = (row: load.ClaimedRow, phone: string): load.ClaimedRow =>
  row.manual ? { ...row, manual: { ...row.manual, toAddress: phone } } : { ...row, phone }

/** A new shop tries its first email before its sender is entered. */
function withSender(context: DecisionContext): DecisionContext {
  const { situation } = context
  const sender_name = situation.sender_name || situation.name
  const postal_address = situation.postal_address || '(postal address missing)'
  return { ...context, situation: { ...situation, sender_name, postal_address } }
}

const TEST_LINE = 'This is a test message sent by a Recoup user. It is not a message from a shop.'

/** Marks a mail as a test. Texts are marked where they are composed. */
function markAsTest(composed: AnyComposed, couponNote: string | null): AnyComposed {
  if (isText(composed) || isPush(composed)) return composed
  const { subject, text, html } = composed
  const line = [TEST_LINE, couponNote].filter(Boolean).join(' ')
  return { ...composed, subject: `[Test] ${subject}`, text: `${line}\n\n${text}`, html: withTestLine(html, line) }
}

/** Inserts the line at the start of the body, in any layout. */
function withTestLine(html: string, line: string): string {
  const start = html.indexOf('>', html.indexOf('<body')) + 1
  const style = 'margin:0;padding:12px 16px;background:#ffffff;color:#1f2328;font:14px/1.5 sans-serif;text-align:center'
  return `${html.slice(0, start)}<p style="${style}">${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>${html.slice(start)}`
}

async function bookCost(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  accountId: string,
  composed: AnyComposed,
): Promise<void> {
  if (!isText(composed)) return
  const { cost } = composed
  const month = formatMonth(deps.now())
  await transact(store, async (tx) => {
    const budget = await lockBudget(tx, accountId, month)
    const isOver =
      budget && cost.amountMicros > 0 && (budget.currency !== cost.currency || cost.amountMicros > budget.micros)
    if (isOver) throw new AppError('unprocessable', explain('budget'))
    await bookSpend(tx, accountId, month, [cost])
  })
}

const formatResponse = (outcome: Outcome): string =>
  outcome.kind === 'unknown' ? `${explain('unknown')} (${outcome.response})` : outcome.response

async function insertTestLinks(
  { db, storeId }: StoreDb,
  links: {
    /** null: the message is about no cart. */
    cartId: string | null
    tokens: readonly { hash: string; purpose: string; target: string | null }[]
    at: Date
    until: Date
  },
): Promise<void> {
  await sql`insert into link_tokens (token_hash, store_id, message_id, cart_id, purpose, target, is_test, created_at, expires_at)
    select decode(t.hash, 'hex'), ${storeId}, null, ${links.cartId}, t.purpose, t.target, true, ${links.at}, ${links.until}
    from jsonb_to_recordset(${JSON.stringify(links.tokens)}::jsonb) as t(hash text, purpose text, target text)
    where t.purpose in ('restore', 'click')`.execute(db)
}
