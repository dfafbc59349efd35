import type { Check } from '../../../shared/core/checks.ts'
import { mailServerTexts } from '../../../shared/delivery/mail-server.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { isSelector } from '../../../shared/delivery/sending.ts'
import { assertMayMail, findUserById, type Session } from '../../access/members/public.ts'
import { noteTest } from '../../access/notifications/public.ts'
import * as sql from '../../access/stores/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type Limit, type StoreDb, takePoint } from '../../core/db/public.ts'
import { type DnsLookup, isPublicName, openDns } from '../../core/net/public.ts'
import {
  checkReturnPath,
  checkSignature,
  dkimCheck,
  dmarcCheck,
  readDkim,
  readDmarc,
  readSpf,
  spfCheck,
  trialChecks,
  trySmtp,
} from '../../delivery/deliverability/public.ts'
import {
  buildOwnFrom,
  buildProofSubject,
  buildSmtpSettings,
  ensureSenderKey,
  findPublishedKey,
  getDomain,
  getSenderAddress,
  type MailServerRow,
  openMailHeaders,
  openOwnMailHeaders,
  readMailServer,
  readSmtpUrl,
  saveProof,
} from '../../delivery/email/public.ts'
import type { Deps } from '../../deps.ts'
import { type AccountMailRoute, chooseAccountMailRoute, type OutgoingEmail } from '../../messages/channels/public.ts'

// Sender checks on request: whether a store's mail is sent, and whether receivers trust it. Not part of the send path.

const TEST_MAILS: Limit = { name: 'test-mail-account', points: 10, windowS: 900 }
const DOMAIN_CHECKS: Limit = { name: 'sender-domain-store', points: 30, windowS: 900 }

/** Sends a real mail to the member, by the route and sender of the store's messages. */
export async function sendTestMail(
  deps: Deps,
  { session, account, store }: { session: Session; account: AccountDb<Db>; store: StoreDb<Db> },
) {
  await assertMayMail(account)
  await takePoint(deps, TEST_MAILS, session.accountId)
  const row = requireFound(await sql.readStore(store), 'Store')
  if (row.rests_since) throw new AppError('plan_required', explain('store_resting'))
  const user = requireFound(await findUserById(deps.db, session.userId), 'User')
  const own = await readMailServer(account)
  const route = chooseAccountMailRoute(deps.config, { isDemo: session.isDemo, hasOwn: own !== undefined })
  const server = trialServer(deps, route, own)
  const mail = testMail(row, user.email, getSenderAddress(deps, route === 'own' ? own : undefined))
  const trial = await trySmtp(server, mail, {
    mailHeaders: await buildMailHeaders(deps, route, mail, account.accountId),
  })
  const { isAccepted } = trial
  const subject = buildProofSubject(deps, route, own)
  if (subject) await saveProof(account, { what: 'test_mail', subject, is_good: isAccepted, at: deps.now() })
  deps.log.info({ storeId: store.storeId, isAccepted, way: route }, 'sending.tested')
  if (isAccepted) await noteTest(deps, store, 'email', user.email)
  const about = { from: mail.from.address, to: user.email, way: route }
  const security = route === 'own' ? own!.security : null
  return { isAccepted, ...about, steps: trialChecks(trial, { ...about, security }) }
}

async function buildMailHeaders(deps: Deps, route: AccountMailRoute, mail: OutgoingEmail, accountId: string) {
  if (route === 'own') return openOwnMailHeaders(deps)(accountId)
  return route === 'server' ? openMailHeaders(deps)({ ...mail, accountId }) : undefined
}

function testMail(row: sql.StoreRow, to: string, address: string): OutgoingEmail {
  const shop = row.sender_name || row.name
  const text = [
    `This is a test sent from Recoup to ${to}.`,
    `This is the test email you requested in the settings of ${row.name}.`,
    'It uses the same mail server and sender as the messages to your shoppers.',
    ...(row.postal_address ? [row.postal_address] : []),
  ].join('\n\n')
  return {
    messageId: createId(),
    from: { name: shop.replace(/\s+/g, ' '), address },
    ...(row.sender_email ? { replyTo: row.sender_email } : {}),
    to,
    subject: `Test email from ${row.name}`.replace(/\s+/g, ' '),
    text,
    html: `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n\n', '</p><p>').replaceAll('\n', '<br>')}</p>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

function trialServer(deps: Deps, route: AccountMailRoute, own: MailServerRow | undefined) {
  if (route === 'none') throw new AppError('unprocessable', mailServerTexts.missing)
  if (route === 'own' && buildOwnFrom(own!) === null) throw new AppError('unprocessable', mailServerTexts.noFrom)
  if (route === 'own') return buildSmtpSettings(deps, own!)
  return route === 'server' ? deps.config.smtpUrl! : `smtp://127.0.0.1:${deps.config.mailboxSmtpPort}`
}

/** Checks the domain in the From header, which receivers evaluate. */
export async function checkSenderDomain(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'pool' | 'secrets'>,
  store: StoreDb<Db>,
  selector?: string,
) {
  if (selector && !isSelector(selector)) {
    const message = 'Use letters, digits, dots and hyphens only'
    throw new AppError('invalid', message, { fields: { selector: message } })
  }
  await takePoint(deps, DOMAIN_CHECKS, store.storeId)
  const row = requireFound(await sql.readStore(store), 'Store')
  const account = { accountId: row.account_id, db: deps.db }
  const stored = await readMailServer(account)
  const isDemo = (await sql.isDemoAccount(account)) !== undefined
  const route = chooseAccountMailRoute(deps.config, { isDemo, hasOwn: stored !== undefined })
  const address = getSenderAddress(deps, route === 'own' ? stored : undefined)
  const domain = getDomain(address)
  const about = { address, domain, replyTo: row.sender_email }
  if (!isPublicName(domain)) return { ...about, note: noteOnLocal(address, route), checks: [] }
  const host = route === 'own' ? stored!.host : route === 'server' ? readSmtpUrl(deps.config.smtpUrl!).host : null
  const checks = await domainChecks(deps, { domain, host, selector, isOwn: route === 'own' })
  if (!checks.some(({ state }) => state === 'quiet')) {
    const isGood = checks.every(({ state }) => state === 'good' || state === 'skipped')
    await saveProof(account, { what: 'domain', subject: domain, is_good: isGood, at: deps.now() })
  }
  return { ...about, note: host ? null : STAYS_HERE, checks }
}

const STAYS_HERE = 'No mail server is set up, so emails stay on this server.'

const noteOnLocal = (address: string, route: AccountMailRoute): string =>
  `Emails come from ${address}, which works only inside this network. Before you email shoppers, ${
    route === 'own' ? 'enter a From address with a real domain' : 'set up your own mail server'
  } under Mail server.`

interface DomainAbout {
  domain: string
  /** The mail server; null: no route for mail. */
  host: string | null
  selector: string | undefined
  /** The account's own server: this installation signs nothing there, and its return address is unused. */
  isOwn: boolean
}

const ASK_PROVIDER =
  'Switch on DKIM for this domain at your email provider and add the record it shows you, or enter the name of its key below.'

async function domainChecks(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'secrets'>,
  { domain, host, selector, isOwn }: DomainAbout,
): Promise<Check[]> {
  const dns = openDns({ servers: deps.config.dnsServers })
  const server = mailServer(dns, host)
  const [spf, dkim, dmarc, key, returns] = await Promise.all([
    server.then((known) => readSpf(dns, domain, known)),
    readDkim(dns, domain, selector),
    readDmarc(dns, domain),
    isOwn ? null : ensureSenderKey(deps, domain).then((key) => findPublishedKey(deps, dns, key)),
    isOwn ? [] : checkReturnPathOfServer(deps, dns, server),
  ])
  const ofProvider = dkimCheck(domain, dkim, key?.kind === 'seen')
  return [
    spfCheck(domain, spf, host),
    isOwn ? { ...ofProvider, nextStep: ofProvider.nextStep && ASK_PROVIDER } : ofProvider,
    ...(key ? [checkSignature(domain, key, dkim.kind === 'found')] : []),
    dmarcCheck(domain, dmarc),
    ...returns,
  ]
}

/** Whether bounces come back here; empty without a return address. */
async function checkReturnPathOfServer(
  { config }: Pick<Deps, 'config'>,
  dns: DnsLookup,
  server: ReturnType<typeof mailServer>,
) {
  if (!config.bounceAddress) return []
  const domain = getDomain(config.bounceAddress)
  const [mx, spf] = await Promise.all([dns.mx(domain), server.then((known) => readSpf(dns, domain, known))])
  return [checkReturnPath(domain, { mx, spf, ourHost: new URL(config.publicUrl).hostname })]
}

async function mailServer(dns: DnsLookup, host: string | null) {
  const answer = host ? await dns.addresses(host) : null
  return { host: host ?? '', addresses: answer?.kind === 'found' ? answer.rows : [] }
}
