// One rendered email as the bytes of an internet message, or the reason why it must not become one.
import { domainToASCII } from 'node:url'
import MailComposer from 'nodemailer/lib/mail-composer'
import type { Outcome, OutgoingEmail } from './channel.ts'

export interface ComposedMessage {
  raw: Buffer
  from: string
  to: string
  /** With angle brackets, as it stands in the header. */
  messageIdHeader: string
}

/** Headers the message's own fields decide; a caller who sets them again would contradict those. */
const OWN_HEADERS = /^(from|to|cc|bcc|sender|reply-to|subject|date|message-id|mime-version|content-.*|resent-.*)$/i
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,75}$/
const BREAKS_HEADER = /[\r\n\0\u2028\u2029]/
const MESSAGE_ID = /^[A-Za-z0-9._-]{1,128}$/

type Rejected = Extract<Outcome, { kind: 'rejected' }>

/** Why this message must not be sent at all, or null. Nothing of it is repeated in the answer. */
export function whyUnsendable(message: OutgoingEmail): Rejected | null {
  if (!isAddress(message.to)) return refused('invalid_address', 'The recipient address is not valid', true)
  if (!isAddress(message.from.address)) return refused('invalid_sender', 'The sender address is not valid')
  if (message.replyTo !== undefined && !isAddress(message.replyTo)) {
    return refused('invalid_sender', 'The reply address is not valid')
  }
  if (!MESSAGE_ID.test(message.messageId)) return refused('invalid_header', 'The message id is not valid')
  const headers = Object.entries(message.headers)
  const isNameBad = headers.some(([name]) => !HEADER_NAME.test(name) || OWN_HEADERS.test(name))
  const values = [message.subject, message.from.name, ...headers.map(([, value]) => value)]
  if (isNameBad || values.some((value) => BREAKS_HEADER.test(value))) {
    return refused('invalid_header', 'A header contains what it must not contain')
  }
  return null
}

/** Builds the message; text parts in base64, which costs a fifth less time than quoted-printable. */
export async function composeMessage(message: OutgoingEmail): Promise<ComposedMessage> {
  const from = asciiDomain(message.from.address)
  const to = asciiDomain(message.to)
  const messageIdHeader = `<${message.messageId}@${from.slice(from.lastIndexOf('@') + 1)}>`
  const composer = new MailComposer({
    from: { name: message.from.name, address: from },
    to: { name: '', address: to },
    ...(message.replyTo === undefined ? {} : { replyTo: { name: '', address: asciiDomain(message.replyTo) } }),
    subject: message.subject,
    html: message.html,
    text: message.text,
    // A URL must arrive whole: nodemailer would encode or fold a long value in the middle.
    headers: Object.entries(message.headers).map(([key, value]) => ({ key, value: headerValue(value) })),
    messageId: messageIdHeader,
    textEncoding: 'base64',
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return { raw: await composer.compile().build(), from, to, messageIdHeader }
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

function refused(reason: string, response: string, isRecipientFault = false): Rejected {
  return { kind: 'rejected', reason, response, isRecipientFault }
}
