import { createPrivateKey, generateKeyPair, hash, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import signHeaders from 'nodemailer/lib/dkim/sign'

// DKIM (RFC 6376), rsa-sha256, relaxed/relaxed. The head is signed by nodemailer's signer; the body is at hand in one piece, so its
// hash needs none of the streams that come before that signer. RSA alone: an Ed25519 signature (RFC 8463) is passed over by most receivers.

export interface SigningKey {
  domain: string
  selector: string
  privateKey: KeyObject
}

/** The DKIM-Signature line (folded, without its last CRLF) for a message of `head` (without the empty line) and `body`, both latin1. */
export type Signer = (head: string, body: string) => string

/** What the signature covers, where it is there: RFC 6376 section 5.4.1, and what one-click unsubscribe asks for (C3). */
const SIGNED =
  'From:Reply-To:To:Subject:Date:Message-ID:MIME-Version:Content-Type:List-Unsubscribe:List-Unsubscribe-Post:Feedback-ID:Auto-Submitted'

export function signerOf({ domain, selector, privateKey }: SigningKey): Signer {
  return (head, body) => {
    const options = { domainName: domain, keySelector: selector, privateKey, headerFieldNames: SIGNED }
    // The declarations know neither a prepared key nor the failure.
    const line = (signHeaders as unknown as LineSigner)(
      fieldsOf(head),
      'sha256',
      hash('sha256', overridden(body), 'base64'),
      options,
    )
    if (!line) throw new Error('the DKIM key cannot be used')
    return line
  }
}

type LineSigner = (
  fields: { key: string; line: string }[],
  algorithm: 'sha256',
  bodyHash: string,
  options: { domainName: string; keySelector: string; privateKey: KeyObject; headerFieldNames: string },
) => string | false

function fieldsOf(head: string) {
  const lines = head.replace(/\r\n$/, '').split(/\r\n(?![ \t])/)
  return lines.map((line) => ({ key: line.slice(0, line.indexOf(':')).trim().toLowerCase(), line }))
}

/** RFC 6376 section 3.4.4. */
function overridden(body: string): Buffer {
  let text = body.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n')
  while (text.endsWith('\r\n')) text = text.slice(0, -2)
  return Buffer.from(text === '' ? '' : `${text}\r\n`, 'latin1')
}

/** RSA of 2048 bits: `publicKey` as p= holds it, `privateKey` as PKCS #8 in base64. */
export async function makeKey(): Promise<{ publicKey: string; privateKey: string }> {
  const made = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  })
  return { publicKey: made.publicKey.toString('base64'), privateKey: made.privateKey.toString('base64') }
}

export const openKey = (privateKey: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(privateKey, 'base64'), type: 'pkcs8', format: 'der' })

export const keyRecordName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`

export const keyRecord = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`

/** Whether a TXT record publishes this key; spaces and the order of its parts do not matter. */
export function publishes(record: string, publicKey: string): boolean {
  const key = /(?:^|;)\s*p=([^;]*)/i.exec(record)?.[1]
  return key !== undefined && key.replace(/\s+/g, '') === publicKey
}
