import { isSelector } from '../../shared/sending.ts'
import type { Limit } from '../accounts/limits.ts'
import { take } from '../accounts/limits.ts'
import { readSender } from '../accounts/rules.ts'
import type { Session } from '../accounts/session.ts'
import { userById } from '../accounts/sql.ts'
import type { OutgoingEmail } from '../channels/channel.ts'
import { type DnsLookup, openDns } from '../channels/dns.ts'
import { domainOf, openLeaving } from '../channels/leaving.ts'
import { readDkim, readDmarc } from '../channels/mail-keys.ts'
import { dkimCheck, dmarcCheck, spfCheck, trialChecks } from '../channels/sender-checks.ts'
import { ensureSenderKey, lookForKey } from '../channels/sender-keys.ts'
import { returnPathCheck, signatureCheck } from '../channels/signature-checks.ts'
import { readSmtpUrl } from '../channels/smtp-settings.ts'
import { trySmtp } from '../channels/smtp-trial.ts'
import { readSpf } from '../channels/spf.ts'
import type { Config } from '../config.ts'
import type { Db, StoreDb } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import { newId } from '../ids.ts'
import { isPublicName } from './rules.ts'
import * as sql from './sql.ts'

// Does a store's mail leave, and is it believed where it arrives? Asked by a person, never on the way of a message.

const TEST_MAILS: Limit = { name: 'test-mail-account', points: 10, windowS: 900 }
const DOMAIN_CHECKS: Limit = { name: 'sender-domain-store', points: 30, windowS: 900 }

/** A real mail to whoever asks, by the way and from the sender the store's messages go. */
export async function sendTestMail(deps: Deps, session: Session, store: StoreDb<Db>) {
  await take(deps, TEST_MAILS, session.accountId)
  const row = found(await sql.readStore(store), 'Store')
  const user = found(await userById(deps.db, session.userId), 'User')
  const mail = testMail(deps, row, user.email)
  const leaving = session.isDemo ? undefined : await openLeaving(deps)(mail)
  const trial = await trySmtp(smtpUrlFor(deps.config, session.isDemo), mail, { leaving })
  const from = mail.from.address
  deps.log.info({ storeId: store.storeId, isAccepted: trial.isAccepted }, 'sending.tested')
  return { isAccepted: trial.isAccepted, to: user.email, from, steps: trialChecks(trial, from, user.email) }
}

function testMail(deps: Deps, row: sql.StoreRow, to: string): OutgoingEmail {
  const { address } = readSender(deps.config.mailFrom)
  const shop = row.sender_name || row.name
  const text = [
    `This is the test mail you asked for in the settings of ${row.name}.`,
    'It took the same way, from the same sender, as the messages to your shoppers.',
    ...(row.postal_address ? [row.postal_address] : []),
  ].join('\n\n')
  return {
    messageId: newId(),
    from: { name: shop.replace(/\s+/g, ' '), address },
    ...(row.sender_email ? { replyTo: row.sender_email } : {}),
    to,
    subject: `Test mail of ${row.name}`.replace(/\s+/g, ' '),
    text,
    html: `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n\n', '</p><p>').replaceAll('\n', '<br>')}</p>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** Decision 29: the demo's mail goes into the mailbox whatever is configured, as everybody's does while nothing is. */
function smtpUrlFor({ smtpUrl, mailboxSmtpPort }: Config, isDemo: boolean): string {
  return smtpUrl && !isDemo ? smtpUrl : `smtp://127.0.0.1:${mailboxSmtpPort}`
}

/** Of the domain in the From of the store's messages: that is the one receivers look at. */
export async function checkSenderDomain(deps: Deps, store: StoreDb<Db>, selector?: string) {
  if (selector && !isSelector(selector)) {
    const message = 'A selector has letters, digits, dots and hyphens only'
    throw new AppError('invalid', message, { fields: { selector: message } })
  }
  await take(deps, DOMAIN_CHECKS, store.storeId)
  const row = found(await sql.readStore(store), 'Store')
  const { address } = readSender(deps.config.mailFrom)
  const domain = domainOf(address)
  const about = { address, domain, replyTo: row.sender_email }
  if (!isPublicName(domain)) {
    const note = `Mail comes from ${address}, an address inside this network only. There is nothing to look up; before mailing real shoppers, whoever runs this server sets MAIL_FROM to an address of a real domain.`
    return { ...about, note, checks: [] }
  }
  const host = deps.config.smtpUrl ? readSmtpUrl(deps.config.smtpUrl).host : null
  const dns = openDns({ servers: deps.config.dnsServers })
  const server = mailServer(dns, host)
  const [spf, dkim, dmarc, own, returns] = await Promise.all([
    server.then((known) => readSpf(dns, domain, known)),
    readDkim(dns, domain, selector),
    readDmarc(dns, domain),
    ensureSenderKey(deps, domain).then((key) => lookForKey(deps, dns, key)),
    returnPathCheckOf(deps, dns, server),
  ])
  const note = host
    ? null
    : 'Mail does not leave this server yet: it goes into the built-in mailbox until SMTP_URL is set.'
  const signature = signatureCheck(domain, own, dkim.kind === 'found')
  const checks = [
    spfCheck(domain, spf, host),
    dkimCheck(domain, dkim, own.kind === 'seen'),
    signature,
    dmarcCheck(domain, dmarc),
    ...returns,
  ]
  return { ...about, note, checks }
}

/** Whether what cannot be delivered comes back here; nothing where no address for it is set. */
async function returnPathCheckOf({ config }: Deps, dns: DnsLookup, server: ReturnType<typeof mailServer>) {
  if (!config.bounceAddress) return []
  const domain = domainOf(config.bounceAddress)
  const [mx, spf] = await Promise.all([dns.mx(domain), server.then((known) => readSpf(dns, domain, known))])
  return [returnPathCheck(domain, { mx, spf, ourHost: new URL(config.publicUrl).hostname })]
}

async function mailServer(dns: DnsLookup, host: string | null) {
  const answer = host ? await dns.addresses(host) : null
  return { host: host ?? '', addresses: answer?.kind === 'found' ? answer.rows : [] }
}
