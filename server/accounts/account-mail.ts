import { readFileSync } from 'node:fs'
import { Liquid } from 'liquidjs'
import type { Config } from '../core/config.ts'

// The layout of mail about an account itself: what it is about, a button, and the same as plain text. Pure.

export interface AccountMail {
  subject: string
  /** Above the button, plain text. */
  paragraphs: readonly string[]
  link: { label: string; url: string }
  /** Below the button. */
  after?: readonly string[]
}

type Sender = Pick<Config, 'companyName' | 'supportEmail'>

export function renderAccountMail(mail: AccountMail, { companyName, supportEmail }: Sender) {
  const subject = oneLine(mail.subject)
  const { paragraphs, link, after = [] } = mail
  const preview = paragraphs[1] ?? paragraphs[0] ?? ''
  return {
    subject,
    text: `${[...paragraphs, `${link.label}:\n${link.url}`, ...after, `--\n${companyName}\n${supportEmail}`].join('\n\n')}\n`,
    html: layout()({ subject, preview, paragraphs, link, after, companyName, supportEmail }),
  }
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

let read: ((values: object) => string) | undefined

function layout() {
  read ??= readLayout()
  return read
}

function readLayout(): (values: object) => string {
  const liquid = new Liquid({ outputEscape: 'escape', strictVariables: true, strictFilters: true, templates: {} })
  const source = readFileSync(new URL('../templates/layouts/account.liquid', import.meta.url), 'utf8')
  const template = liquid.parse(source)
  return (values) => liquid.renderSync(template, values) as string
}
