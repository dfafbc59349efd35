import { hash, sign } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import nodemailerSign from 'nodemailer/lib/dkim/sign'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import type { Config } from '../../core/config/public.ts'
import type { Deps } from '../../deps.ts'
import type { OutgoingEmail } from '../../messages/channels/public.ts'
import { openBounceAddresses } from './bounce-addresses.ts'
import type { Signer, SigningKey } from './dkim.ts'
import { buildReturnPath } from './return-path.ts'
import { openSigningKeys } from './sender-keys.ts'
import type { MailHeaders } from './smtp-message.ts'

// Headers for every mail of this server: its own return address, a DKIM signature and the mark by which the mail
// provider's reports identify it.

type MailHeadersDeps = Pick<Deps, 'db' | 'secrets' | 'now' | 'config'>

export function openMailHeaders(deps: MailHeadersDeps): (message: OutgoingEmail) => Promise<MailHeaders> {
  const keyOf = openSigningKeys(deps)
  const mailboxOf = openBounceAddresses(deps)
  const { bounceAddress, mailEvents } = deps.config
  return async ({ from, messageId, accountId }) => {
    const mailbox = accountId ? await mailboxOf(accountId) : null
    const key = await keyOf(getDomain(from.address))
    return {
      returnPath: mailbox ?? (bounceAddress ? buildReturnPath(deps.secrets, bounceAddress, messageId) : null),
      headers: mailEvents ? providerMark(mailEvents.provider, messageId) : {},
      sign: key && buildSigner(key),
    }
  }
}

export const getDomain = (address: string): string =>
  domainToASCII(address.slice(address.lastIndexOf('@') + 1)).toLowerCase()

/**
 * Headers for two providers that report with ids of their own, so that they report ours too. The others keep the
 * Message-ID.
 */
function providerMark(
  provider: NonNullable<Config['mailEvents']>['provider'],
  messageId: string,
): Record<string, string> {
  if (provider === 'postmark') return { 'X-PM-Metadata-recoup': messageId }
  if (provider === 'ses') return { 'X-SES-MESSAGE-TAGS': `recoup=${messageId}` }
  return {}
}

/** The signed headers, if present: RFC 6376 section 5.4.1 and those that one-click unsubscribe requires (C3). */
const SIGNED =
  'From:Reply-To:To:Subject:Date:Message-ID:MIME-Version:Content-Type:List-Unsubscribe:List-Unsubscribe-Post:Feedback-ID:Auto-Submitted'

const signInThread = promisify(sign)

function buildSigner({ domain, selector, privateKey }: SigningKey): Signer {
  return async (head, body) => {
    const canonical = relaxedHeaders(splitFields(head), SIGNED)
    const tags = [
      'v=1',
      'a=rsa-sha256',
      'c=relaxed/relaxed',
      `d=${domain}`,
      'q=dns/txt',
      `s=${selector}`,
      `bh=${hash('sha256', canonicalizeBody(body), 'base64')}`,
      `h=${canonical.fieldNames}`,
    ]
    const line = `${foldLines(`DKIM-Signature: ${tags.join('; ')}`)};\r\n b=`
    const own = relaxedHeaders([{ key: 'dkim-signature', line }], 'dkim-signature').headers.replace(/\r\n$/, '')
    const signature = await signInThread('sha256', Buffer.from(canonical.headers + own), privateKey)
    return line + (signature.toString('base64').match(/.{1,72}/g) ?? []).join('\r\n ')
  }
}

/** Canonical headers by section 3.4.2; of repeated headers the lowest. */
type Relax = (fields: { key: string; line: string }[], names: string) => { headers: string; fieldNames: string }

// Missing in the type declarations.
const { relaxedHeaders } = nodemailerSign as unknown as { relaxedHeaders: Relax }

function splitFields(head: string) {
  const lines = head.replace(/\r\n$/, '').split(/\r\n(?![ \t])/)
  return lines.map((line) => ({ key: line.slice(0, line.indexOf(':')).trim().toLowerCase(), line }))
}

/** RFC 6376 section 3.4.4. */
function canonicalizeBody(body: string): Buffer {
  let text = body.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n')
  while (text.endsWith('\r\n')) text = text.slice(0, -2)
  return Buffer.from(text === '' ? '' : `${text}\r\n`)
}
