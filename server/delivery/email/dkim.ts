import type { KeyObject } from 'node:crypto'

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

export const buildKeyRecordName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`

export const buildKeyRecord = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`
