// Builds the bytes of an internet message from a rendered email, or returns why it must not be sent.
import { domainToASCII } from 'node:url'
import MimeNode from 'nodemailer/lib/mime-node'
import type { Outcome, OutgoingEmail } from '../../messages/channels/public.ts'
import type { Signer } from './dkim.ts'

export interface ComposedMessage {
  raw: Buffer
  /** The bytes after DATA with the final dot; null: lines need dot-stuffing (RFC 5321, 4.5.2). */
  content: Buffer | null
  from: string
  to: string
  /** With angle brackets, as in the header. */
  messageIdHeader: string
}

/** Headers that follow from the message's fields; callers must not set them. */
const OWN_HEADERS = /^(from|to|cc|bcc|sender|reply-to|subject|date|message-id|mime-version|content-.*|resent-.*)$/i
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,75}$/
const BREAKS_HEADER = /[\r\n\0\u2028\u2029]/
const MESSAGE_ID = /^[A-Za-z0-9._-]{1,128}$/

type Rejection = Extract<Outcome, { kind: 'rejected' }>

/** Returns why this message must not be sent, or null. The reason quotes nothing of the message. */
export function findSendProblem(message: OutgoingEmail): Rejection | null {
  if (!isAddress(message.to)) return buildRejection('invalid_address', 'The recipient address is not valid', true)
  if (!isAddress(message.from.address)) return buildRejection('invalid_sender', 'The sender address is not valid')
  if (message.replyTo !== undefined && !isAddress(message.replyTo)) {
    return buildRejection('invalid_sender', 'The reply address is not valid')
  }
  if (!MESSAGE_ID.test(message.messageId)) return buildRejection('invalid_header', 'The message id is not valid')
  const headers = Object.entries(message.headers)
  const isNameBad = headers.some(([name]) => !HEADER_NAME.test(name) || OWN_HEADERS.test(name))
  const values = [message.subject, message.from.name, ...headers.map(([, value]) => value)]
  if (isNameBad || values.some((value) => BREAKS_HEADER.test(value))) {
    return buildRejection('invalid_header', 'A header contains what it must not contain')
  }
  return null
}

/** Additional parts of a mail: return path, provider headers and signature. */
export interface MailHeaders {
  /** Envelope sender; default: the From address. */
  returnPath?: string | null
  headers?: Record<string, string>
  /** Signs for the domain of From. */
  sign?: Signer | null
}

/**
 * Builds the message. nodemailer writes the head with its folding and encoding. The two bodies are plain base64 and
 * written directly: nodemailer streams each through four transforms, which takes ten times as long.
 */
export async function composeMessage(message: OutgoingEmail, mailHeaders: MailHeaders = {}): Promise<ComposedMessage> {
  const from = asciiDomain(message.from.address)
  const to = asciiDomain(message.to)
  const messageIdHeader = `<${message.messageId}@${from.slice(from.lastIndexOf('@') + 1)}>`
  const node = new MimeNode('multipart/alternative', { textEncoding: 'B' })
  // nodemailer would encode or fold a long URL in the middle.
  const headers = Object.entries({ ...message.headers, ...mailHeaders.headers })
  node.addHeader(headers.map(([key, value]) => ({ key, value: headerValue(value) })))
  node.setHeader('From', { name: escapeEncoded(message.from.name), address: from })
  node.setHeader('To', { name: '', address: to })
  if (message.replyTo !== undefined) {
    node.setHeader('Reply-To', { name: '', address: asciiDomain(message.replyTo) })
  }
  node.setHeader('Subject', escapeEncoded(message.subject))
  node.setHeader('Message-ID', messageIdHeader)
  const head = node.buildHeaders()
  const open = `--${node.boundary}`
  const body = `${open}${part('plain', message.text)}\r\n${open}${part('html', message.html)}\r\n${open}--\r\n`
  const signature = mailHeaders.sign ? `${await mailHeaders.sign(head, body)}\r\n` : ''
  // Addresses may contain non-ASCII letters (SMTPUTF8); no byte of their UTF-8 form is a line break or a dot.
  const content = Buffer.from(`${signature}${head}\r\n\r\n${body}.\r\n`)
  return {
    raw: content.subarray(0, -3),
    // Base64 needs no dot-stuffing.
    content: NEEDS_ESCAPES.test(`\n${signature}${head}`) ? null : content,
    from: mailHeaders.returnPath ?? from,
    to,
    messageIdHeader,
  }
}

/** A line that begins with a dot, or a bare CR or LF, which some servers read as a line break (SMTP smuggling). */
const NEEDS_ESCAPES = /\n\.|\r(?!\n)|[^\r]\n/

/** Breaks up text that looks encoded: mail programs would decode it (RFC 2047) and show unchecked text. */
const escapeEncoded = (text: string) => text.replaceAll('=?', '= ?')

/** RFC 2045: lines of text end with CRLF before they are encoded, and those of base64 hold 76 characters at most. */
function part(subtype: string, text: string): string {
  const encoded = Buffer.from(text.replace(/\r?\n/g, '\r\n')).toString('base64')
  const lines: string[] = []
  for (let at = 0; at < encoded.length; at += 76) lines.push(encoded.slice(at, at + 76))
  const head = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: base64`
  return `\r\n${head}\r\n\r\n${lines.join('\r\n')}`
}

function headerValue(value: string) {
  return /^[\x20-\x7e]*$/.test(value) && value.length < 900 ? { prepared: true, value } : value
}

/** A plain mailbox address: no comments, quotes or address literals; international domains are fine. */
function isAddress(address: string): boolean {
  if (address.length > 254 || /[\s"(),:;<>[\]\\\p{C}]/u.test(address)) return false
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  if (at < 1 || Buffer.byteLength(local) > 64 || local.includes('@') || /^\.|\.\.|\.$/.test(local)) return false
  const domain = domainToASCII(address.slice(at + 1))
  return (
    domain.length <= 253 &&
    /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(domain)
  )
}

function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`
}

function buildRejection(reason: string, response: string, isRecipientFault = false): Rejection {
  return { kind: 'rejected', reason, response, isRecipientFault }
}
