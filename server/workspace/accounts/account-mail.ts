import { readFileSync } from 'node:fs'
import { Liquid } from 'liquidjs'
import type { Config } from '../../core/config/public.ts'

// The layout of account mail: text, a button, and the same as plain text. Pure.

export interface AccountMail {
  subject: string
  /** Above the button, plain text. */
  paragraphs: readonly string[]
  /** Below the paragraphs: the path of a cart, as a row of dots. */
  path?: readonly MailStation[]
  /** Listed below the paragraphs, with the number of further items. */
  items?: readonly MailItem[]
  more?: string
  link: Link
  /** Below the button. */
  after?: readonly string[]
  /** At the end, in small print. */
  footer?: Link
}

interface Link {
  label: string
  url: string
}

/** A station of the path, with its figure. `isWon`: in the color of recovered carts. */
export interface MailStation {
  label: string
  figure: string
  isWon?: boolean
}

/** An item that the mail lists. */
export interface MailItem {
  title: string
  url: string
  /** Time and place. */
  note: string
  text: string
  tone: 'problem' | 'good' | 'neutral'
}

type Sender = Pick<Config, 'companyName' | 'instanceName' | 'supportEmail'>

export function renderAccountMail(mail: AccountMail, { companyName, instanceName: product, supportEmail }: Sender) {
  const subject = joinLines(mail.subject)
  const { paragraphs, path = [], items = [], more = '', link, after = [], footer = null } = mail
  const preview =
    items.length > 0 ? items.map(({ title }) => title).join(' · ') : (paragraphs[1] ?? paragraphs[0] ?? '')
  const stations = path.map((station) => ({ isWon: false, ...station }))
  const values = {
    subject,
    preview,
    paragraphs,
    stations,
    items,
    more,
    link,
    after,
    footer,
    companyName,
    supportEmail,
    product,
  }
  return { subject, text: plainText(mail, `--\n${companyName}\n${supportEmail}`), html: layout()(values) }
}

function plainText(
  { paragraphs, path = [], items = [], more, link, after = [], footer }: AccountMail,
  end: string,
): string {
  const addressed = ({ label, url }: Link) => `${label}:\n${url}`
  const blocks = [
    ...paragraphs,
    ...(path.length > 0 ? [path.map(({ label, figure }) => `${label} ${figure}`).join(' → ')] : []),
    ...items.map(({ title, note, text }) => `${title}\n${note}\n${text}`),
    ...(more ? [more] : []),
    addressed(link),
    ...after,
    ...(footer ? [addressed(footer)] : []),
    end,
  ]
  return `${blocks.join('\n\n')}\n`
}

const joinLines = (text: string) => text.replace(/\s+/g, ' ')

let read: ((values: object) => string) | undefined

function layout() {
  read ??= readLayout()
  return read
}

function readLayout(): (values: object) => string {
  const liquid = new Liquid({ outputEscape: 'escape', strictVariables: true, strictFilters: true, templates: {} })
  const source = readFileSync(new URL('../../messages/templates/layouts/account.liquid', import.meta.url), 'utf8')
  const template = liquid.parse(source)
  return (values) => liquid.renderSync(template, values) as string
}
