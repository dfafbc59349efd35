import crypto from 'node:crypto'
import { problemOf, type RenderedMessage } from '../../messages/templates/message.ts'

// The addresses of a mail's tracked links. Each is keyed and says where it leads (decision 150), which is known once the mail is rendered, and
// whoever renders an owner's words has no keys: so the mail is rendered with stand-ins.

/** No text of a shop or shopper holds it. */
const SIGN = `https://s${crypto.randomBytes(16).toString('hex')}.invalid/`
const STAND_IN = new RegExp(`${SIGN.replaceAll('.', '\\.')}(\\d+)-`, 'g')

/** For the n-th tracked link. */
export const standIn = (n: number): string => `${SIGN}${n}-`

/** The mail with its links' own addresses. Throws a TemplateError where it becomes too large by them. */
export function withLinks<M extends RenderedMessage>(mail: M, track: (url: string) => string): M {
  const links = mail.links.map(({ url, trackedUrl }) => ({ url, trackedUrl: trackedUrl === null ? null : track(url) }))
  const addresses = new Map(
    mail.links.flatMap(({ trackedUrl }, at) => (trackedUrl === null ? [] : [[trackedUrl, links[at]!.trackedUrl!]])),
  )
  if (addresses.size === 0) return mail
  const named = (text: string) => text.replace(STAND_IN, (found) => addresses.get(found) ?? found)
  const parts = { subject: mail.subject, html: named(mail.html), text: named(mail.text) }
  const problem = problemOf(parts)
  if (problem) throw problem
  return { ...mail, ...parts, links }
}
