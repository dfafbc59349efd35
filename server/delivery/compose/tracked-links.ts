import crypto from 'node:crypto'
import { findProblem, type RenderedMessage } from '../../messages/templates/message.ts'

// Tracked links of a mail. A link contains its keyed target (decision 150), which is known only after rendering, and
// the render threads have no keys. So the mail is rendered with placeholders, which are replaced here.

/** Random, so that no text of a shop or shopper contains it. */
const PREFIX = `https://s${crypto.randomBytes(16).toString('hex')}.invalid/`
const PLACEHOLDER = new RegExp(`${PREFIX.replaceAll('.', '\\.')}(\\d+)-`, 'g')

/** The placeholder of the n-th tracked link. */
export const placeholder = (n: number): string => `${PREFIX}${n}-`

/** Replaces the placeholders by tracked links. Throws a TemplateError if the mail becomes too large. */
export function fillLinks<M extends RenderedMessage>(mail: M, track: (url: string) => string): M {
  const links = mail.links.map(({ url, trackedUrl }) => ({ url, trackedUrl: trackedUrl === null ? null : track(url) }))
  const addresses = new Map(
    mail.links.flatMap(({ trackedUrl }, at) => (trackedUrl === null ? [] : [[trackedUrl, links[at]!.trackedUrl!]])),
  )
  if (addresses.size === 0) return mail
  const named = (text: string) => text.replace(PLACEHOLDER, (found) => addresses.get(found) ?? found)
  const parts = { subject: mail.subject, html: named(mail.html), text: named(mail.text) }
  const problem = findProblem(parts)
  if (problem) throw problem
  return { ...mail, ...parts, links }
}
