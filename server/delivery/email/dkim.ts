import { createPrivateKey, generateKeyPair, hash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import nodemailerSign from 'nodemailer/lib/dkim/sign'
import { foldLines } from 'nodemailer/lib/mime-funcs'

// DKIM signatures (RFC 6376), rsa-sha256, relaxed/relaxed. nodemailer canonicalizes the head. The body is one buffer,
// so its hash needs no stream, and the thread pool signs without blocking the event loop. RSA only: most receivers
// ignore Ed25519 (RFC 8463).

export interface SigningKey {
  domain: string
  selector: string
  privateKey: KeyObject
}

/** The DKIM-Signature line (folded, without its last CRLF) for a message of `head` (without the empty line) and `body`. */
export type Signer = (head: string, body: string) => Promise<string>

/** The signed headers, if present: RFC 6376 section 5.4.1 and those that one-click unsubscribe requires (C3). */
const SIGNED =
  'From:Reply-To:To:Subject:Date:Message-ID:MIME-Version:Content-Type:List-Unsubscribe:List-Unsubscribe-Post:Feedback-ID:Auto-Submitted'

const signInThread = promisify(sign)

export function signerOf({ domain, selector, privateKey }: SigningKey): Signer {
  return async (head, body) => {
    const canonical = relaxedHeaders(fieldsOf(head), SIGNED)
    const tags = [
      'v=1',
      'a=rsa-sha256',
      'c=relaxed/relaxed',
      `d=${domain}`,
      'q=dns/txt',
      `s=${selector}`,
      `bh=${hash('sha256', overridden(body), 'base64')}`,
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

function fieldsOf(head: string) {
  const lines = head.replace(/\r\n$/, '').split(/\r\n(?![ \t])/)
  return lines.map((line) => ({ key: line.slice(0, line.indexOf(':')).trim().toLowerCase(), line }))
}

/** RFC 6376 section 3.4.4. */
function overridden(body: string): Buffer {
  let text = body.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n')
  while (text.endsWith('\r\n')) text = text.slice(0, -2)
  return Buffer.from(text === '' ? '' : `${text}\r\n`)
}

/** Creates an RSA key of 2048 bits: `publicKey` in the format of p=, `privateKey` as PKCS #8 in base64. */
export async function createKey(): Promise<{ publicKey: string; privateKey: string }> {
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
