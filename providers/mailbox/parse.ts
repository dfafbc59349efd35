// Parses raw messages. Emails are untrusted, so nothing here throws: unreadable parts are shown as such.
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime'
import type { NewMessage } from './messages.ts'

export interface MessageContent {
  html: string | null
  text: string
  headers: { name: string; value: string }[]
  attachments: { name: string; type: string; size: number }[]
  /** One-click unsubscribe URL (RFC 8058); null if the message has none. */
  oneClickUrl: string | null
}

export async function summarize(raw: Buffer, to: string[], receivedAt: string): Promise<NewMessage> {
  const email = await parse(raw)
  return {
    receivedAt,
    from: email?.from ? formatAddress(email.from) : '(unknown sender)',
    to,
    subject: email ? email.subject?.trim() || '(no subject)' : '(unreadable message)',
    preview: (email?.text || convertHtmlToText(email?.html ?? '')).replace(/\s+/g, ' ').trim().slice(0, 1_000),
    raw,
    size: raw.length,
    hasOneClickUnsubscribe: email !== null && findOneClickUrl(email) !== null,
  }
}

export async function readContent(raw: Buffer): Promise<MessageContent> {
  const email = await parse(raw)
  if (!email) return { html: null, text: raw.toString('latin1'), headers: [], attachments: [], oneClickUrl: null }
  const files = email.attachments.filter((file) => !file.related)
  return {
    html: email.html ? inlineImages(email.html, email.attachments) : null,
    text: email.text || convertHtmlToText(email.html ?? ''),
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    attachments: files.map((file) => ({
      name: file.filename ?? 'unnamed',
      type: file.mimeType,
      size: toBuffer(file).length,
    })),
    oneClickUrl: findOneClickUrl(email),
  }
}

async function parse(raw: Buffer): Promise<Email | null> {
  try {
    return await PostalMime.parse(raw, { maxNestingDepth: 50 })
  } catch {
    return null
  }
}

function formatAddress(address: Address): string {
  if (address.group) return address.name
  return address.name ? `${address.name} <${address.address}>` : address.address
}

function convertHtmlToText(html: string): string {
  return stripCode(html).replace(/<[^<>]*>/g, ' ')
}

function stripCode(html: string): string {
  let visibleHtml = ''
  let from = 0
  let inside: string | null = null
  for (const { 1: slash, 2: name, index } of html.matchAll(/<(\/?)(style|script|title)\b/gi)) {
    if (!inside && !slash) {
      visibleHtml += `${html.slice(from, index)} `
      inside = name!.toLowerCase()
    } else if (slash && inside === name!.toLowerCase()) {
      from = html.indexOf('>', index) + 1 || html.length
      inside = null
    }
  }
  return inside ? visibleHtml : visibleHtml + html.slice(from)
}

function findOneClickUrl(email: Email): string | null {
  const header = (key: string) => email.headers.find((each) => each.key === key)?.value ?? ''
  if (!/^\s*List-Unsubscribe=One-Click\s*$/i.test(header('list-unsubscribe-post'))) return null
  for (const [, address] of header('list-unsubscribe').matchAll(/<\s*(https?:\/\/[^<>]+)>/gi)) {
    const url = URL.parse(address!.replace(/\s/g, ''))
    if (url) return url.href
  }
  return null
}

/** Replaces Content-ID references to embedded images with data URLs. */
function inlineImages(html: string, attachments: Attachment[]): string {
  return attachments.reduce((out, file) => {
    const id = file.contentId?.replace(/^<|>$/g, '')
    if (!id || !/^image\/(png|jpe?g|gif|webp|avif)$/.test(file.mimeType)) return out
    return out.replaceAll(`cid:${id}`, `data:${file.mimeType};base64,${toBuffer(file).toString('base64')}`)
  }, html)
}

function toBuffer({ content }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(new Uint8Array(content))
}
